// What a step answers, over the episodes of the random baseline and of the oracle.
import type { Facts, OptionalFact } from '../../contracts/facts.js';
import { shorten } from '../shorten.js';
import { allEpisodes, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { isWellFormed, type CheckedEpisode, type PlayedTurn } from './play-episode.js';

/** Characters after which the host cuts an observation where nobody says otherwise. */
const usualObservationCharacters = 16_384;

const optionalFacts: readonly OptionalFact[] = ['progress', 'milestones'];

/** Runs `complaint` over each turn with the one before it; the first complaint of each episode is kept. */
function overTurns(
  context: CheckContext,
  complaint: (turn: PlayedTurn, before: PlayedTurn | undefined) => string | undefined,
): string[] {
  return allEpisodes(context).flatMap(({ task, turns }) => {
    for (const [index, turn] of turns.entries()) {
      const found = complaint(turn, turns[index - 1]);
      if (found !== undefined)
        return [`task ${shorten(task)}, turn ${index}, action ${shorten(turn.action)}: ${found}`];
    }
    return [];
  });
}

/** Answers of steps that are not data as the contract wants it, of those whose member is one of `mine`. */
function badAnswers(context: CheckContext, mine: (member: string) => boolean): string[] {
  return allEpisodes(context).flatMap(({ task, turns, thrown }) =>
    thrown?.phase === 'answer' && mine(thrown.message.split(':', 1)[0] ?? '')
      ? [`task ${shorten(task)}, turn ${turns.length}: ${thrown.message}`]
      : [],
  );
}

/** Members whose badness is found by a check of its own. */
const ofOwnCheck = ['facts.progress', 'facts.milestones', 'facts.milestones.reached', 'facts.milestones.total'];

/** What a player's or a step's exception comes to; what a step answered badly is told by the checks of answers. */
function thrownIn(phases: readonly string[], { task, turns, thrown }: CheckedEpisode): string[] {
  if (thrown === undefined || !phases.includes(thrown.phase)) return [];
  return [`task ${shorten(task)}: ${thrown.phase} ${turns.length} threw: ${thrown.message}`];
}

function badMilestones(now: NonNullable<Facts['milestones']>, before: Facts['milestones']): string | undefined {
  if (before !== undefined && before.total !== now.total)
    return `the number of milestones goes from ${before.total} to ${now.total}`;
  if (before !== undefined && now.reached < before.reached)
    return `milestones fall from ${before.reached} to ${now.reached}`;
  return undefined;
}

export const episodeChecks: readonly EnvironmentCheck[] = [
  {
    id: 'reset',
    title: 'every task begins with an observation',
    severity: 'error',
    likelyCause: 'an id that a split lists and `reset` cannot read, or a reset that needs something of the machine',
    why: 'The task cannot be played: its episodes fail, are retried, and end the run past a limit.',
    cure: 'Let reset() read every id that the splits list, with nothing but what the package brings along.',
    run: (context) =>
      context.randomEpisodes.flatMap(({ task, start, thrown }) => {
        if (thrown?.phase === 'reset') return [`reset(${shorten(task)}) threw: ${thrown.message}`];
        return start.observation === '' ? [`reset(${shorten(task)}) gave no text`] : [];
      }),
  },
  {
    id: 'random-play',
    title: 'random play ends or goes on, and throws nothing',
    severity: 'error',
    likelyCause: "a step that trusts its action, or `act('random')` in a state without legal actions",
    why: 'An exception makes a failed episode, which nothing is learnt from; the random baseline would be missing.',
    cure: "Answer any action with a step result, and let act('random') have something to say in every state.",
    run: ({ randomEpisodes }) => randomEpisodes.flatMap((episode) => thrownIn(['action', 'step'], episode)),
  },
  {
    id: 'sample-action',
    title: 'the random baseline plays a legal action now and then',
    severity: 'warning',
    likelyCause: "`act('random')` writes another grammar than `step` reads, so that the baseline is no baseline",
    why: 'A random baseline that plays nonsense makes any policy look good.',
    cure: "Let act('random') write actions as step() reads them.",
    run: (context) => {
      const turns = context.randomEpisodes.flatMap((episode) => episode.turns);
      return turns.length > 0 && turns.every(({ result }) => result.facts.invalid)
        ? [`none of ${turns.length} random actions was legal, such as ${shorten(turns[0]?.action ?? '')}`]
        : [];
    },
  },
  {
    id: 'step-result',
    title: 'a step answers with text, finite numbers, booleans and JSON',
    severity: 'error',
    likelyCause: 'a missing member, NaN in the reward, a getter that throws, or an object with methods in `details`',
    why: 'What is no text, no finite number or no JSON reaches the log, the reward and the gradient.',
    cure: 'Return {observation, reward, terminated, truncated, facts: {success, invalid}} from every step.',
    run: (context) => [
      ...badAnswers(context, (member) => !ofOwnCheck.includes(member)),
      ...overTurns(context, ({ result: { observation } }) =>
        isWellFormed(observation) ? undefined : 'the observation holds half a surrogate pair, which no file can keep',
      ),
    ],
  },
  {
    id: 'progress-range',
    title: 'progress lies in [0, 1]',
    severity: 'error',
    likelyCause: 'progress counted in steps or points instead of a share',
    why: 'Reward schemes pay progress as a share: beyond 1, a failure could be worth more than a success.',
    cure: 'Divide by the whole.',
    run: (context) => badAnswers(context, (member) => member === 'facts.progress'),
  },
  {
    id: 'observation-length',
    title: 'no observation is longer than the host shows',
    severity: 'warning',
    likelyCause: 'a whole page or log as the observation, without paging; or name `play.observationCharacters`',
    why: 'What is longer is cut with a mark before anybody reads it: the agent would miss the end.',
    cure: 'Show a page at a time, or say in the contribution how much is to be shown: `play.observationCharacters`.',
    run: (context) => {
      const limit = context.contribution.play?.observationCharacters ?? usualObservationCharacters;
      return allEpisodes(context)
        .flatMap(({ task, start, turns }) => {
          const observations = [start.observation, ...turns.map(({ result }) => result.observation)];
          const longest = observations.reduce((most, { length }) => Math.max(most, length), 0);
          return longest > limit
            ? [`task ${shorten(task)}: an observation has ${longest} characters, and is cut after ${limit}`]
            : [];
        })
        .slice(0, 5);
    },
  },
  {
    id: 'progress-falls',
    title: 'progress never falls, unless the contribution says so',
    severity: 'error',
    likelyCause: 'progress of the present state instead of the best so far; or declare `progressFalls: true`',
    why: 'Progress that comes and goes can be farmed: the agent is paid again for what it undid.',
    cure: 'Report the best so far, or declare `progressFalls: true` so that schemes know.',
    idle: ({ contribution }) =>
      contribution.progressFalls === true ? 'the contribution says that it may fall' : undefined,
    run: (context) =>
      overTurns(context, ({ result: { facts } }, before) => {
        const last = before?.result.facts.progress;
        if (last === undefined) return undefined;
        if (facts.progress === undefined) return 'progress is there on one turn and missing on the next';
        return facts.progress < last ? `progress falls from ${last} to ${facts.progress}` : undefined;
      }),
  },
  {
    id: 'milestones',
    title: 'milestones are counted upwards to a fixed total',
    severity: 'error',
    likelyCause: 'a total that depends on the state, or a milestone that can be undone',
    why: 'Schemes pay for milestones by their number; a total that moves breaks their bounds.',
    cure: 'Fix the total in reset(), and count a milestone once.',
    run: (context) => [
      ...badAnswers(context, (member) => ofOwnCheck.includes(member) && member !== 'facts.progress'),
      ...overTurns(context, ({ result: { facts } }, before) =>
        facts.milestones === undefined ? undefined : badMilestones(facts.milestones, before?.result.facts.milestones),
      ),
    ],
  },
  {
    id: 'facts',
    title: 'steps report the facts that the contribution declares, and no others',
    severity: 'error',
    likelyCause:
      '`facts` is missing in the contribution, or a fact is left out of some steps: rewards that need it are refused, or pay nothing',
    why: 'A reward that needs a fact is refused for, or starves on, an environment that does not name it.',
    cure: 'List in the contribution exactly the facts that every step reports.',
    run: (context) => {
      const declared = context.contribution.facts ?? [];
      return overTurns(context, ({ result: { facts } }) => {
        const wrong = optionalFacts.find((fact) => declared.includes(fact) !== (facts[fact] !== undefined));
        if (wrong === undefined) return undefined;
        return declared.includes(wrong)
          ? `\`${wrong}\` is declared and not reported`
          : `\`${wrong}\` is reported and not declared: write \`facts: [${[...declared, wrong].map((fact) => `'${fact}'`).join(', ')}]\` in the contribution`;
      }).slice(0, 1);
    },
  },
  {
    id: 'success-ends',
    title: 'success ends the episode',
    severity: 'warning',
    likelyCause: 'a solved task that can still be played on: later turns cost tokens and teach nothing',
    why: 'Turns after the solution cost tokens and teach nothing.',
    cure: 'Terminate on the turn that solves the task.',
    run: (context) =>
      overTurns(context, ({ result }) =>
        result.facts.success && !result.terminated ? 'success, but not terminated' : undefined,
      ),
  },
  {
    id: 'success-falls',
    title: 'success is not taken back',
    severity: 'error',
    likelyCause: '`success` that speaks of the last action instead of the task',
    why: 'Whether the task is solved is read at the end: a success would be counted as a failure.',
    cure: 'Let `success` speak of the task, not of the last action.',
    run: (context) =>
      overTurns(context, ({ result }, before) =>
        before?.result.facts.success === true && !result.facts.success
          ? 'the task was solved and is not any more'
          : undefined,
      ),
  },
  {
    id: 'ending',
    title: 'a step terminates or truncates, not both',
    severity: 'error',
    likelyCause: 'a cap that is reached on the very turn on which the task ends: that is terminated',
    why: 'Terminated is worth 0 from there on, truncated is worth what the critic says: it cannot be both.',
    cure: 'Where a cap is reached on the turn on which the task ends, it is terminated.',
    run: (context) =>
      overTurns(context, ({ result }) =>
        result.terminated && result.truncated ? 'terminated and truncated' : undefined,
      ),
  },
  {
    id: 'oracle',
    title: 'the oracle solves every task with legal actions',
    severity: 'error',
    likelyCause: 'a plan made once and not from the present state, or a task that cannot be solved',
    why: 'Demonstrations, upper baselines and the proof that tasks can be solved all come from the oracle.',
    cure: 'Let it plan from the present state, in the grammar of step(); leave out tasks that have no solution.',
    idle: ({ oracleEpisodes }) => (oracleEpisodes === undefined ? 'it has no oracle' : undefined),
    run: (context) =>
      (context.oracleEpisodes ?? []).flatMap((episode) => {
        const { task, turns, thrown } = episode;
        if (thrown !== undefined) return thrownIn(['reset', 'action', 'step'], episode);
        const invalid = turns.findIndex(({ result }) => result.facts.invalid);
        if (invalid >= 0)
          return [`task ${shorten(task)}: turn ${invalid}, ${shorten(turns[invalid]?.action ?? '')}, is invalid`];
        return turns.at(-1)?.result.facts.success === true
          ? []
          : [`task ${shorten(task)} is not solved after ${turns.length} turns`];
      }),
  },
  {
    id: 'maximum-turns',
    title: 'the oracle stays within the maximum of turns that the world names',
    severity: 'warning',
    likelyCause: '`maxTurns` below what some task needs, so that horizons taken from it make the task unsolvable',
    why: 'Horizons are taken from maxTurns: tasks that need more can never be solved.',
    cure: 'Raise `maxTurns` of the world, or leave out the longer tasks.',
    idle: ({ world, oracleEpisodes }) => {
      if (world.maxTurns === undefined) return 'the world names no maximum';
      return oracleEpisodes === undefined ? 'it has no oracle' : undefined;
    },
    run: ({ world: { maxTurns = Infinity }, oracleEpisodes = [] }) =>
      oracleEpisodes.flatMap(({ task, turns }) =>
        turns.length > maxTurns
          ? [`task ${shorten(task)} takes the oracle ${turns.length} turns, maxTurns is ${maxTurns}`]
          : [],
      ),
  },
];
