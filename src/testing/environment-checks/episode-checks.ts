// Checks of step results in the episodes of the random baseline and of the oracle.
import type { Facts, OptionalFact } from '../../contracts/facts.js';
import { shorten } from '../shorten.js';
import { allEpisodes, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { isWellFormed, type CheckedEpisode, type PlayedTurn } from './play-episode.js';

/** Default number of characters after which the host cuts an observation. */
const usualObservationCharacters = 16_384;

const optionalFacts: readonly OptionalFact[] = ['progress', 'milestones'];

/** Calls `complaint` for each turn with the turn before it, and keeps the first complaint of each episode. */
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

/** Step results that break the contract in a member of `mine`, as sentences. */
function badAnswers(context: CheckContext, mine: (member: string) => boolean): string[] {
  return allEpisodes(context).flatMap(({ task, turns, thrown }) =>
    thrown?.phase === 'answer' && mine(thrown.message.split(':', 1)[0] ?? '')
      ? [`task ${shorten(task)}, turn ${turns.length}: ${thrown.message}`]
      : [],
  );
}

/** Members that have a separate check. */
const ofOwnCheck = ['facts.progress', 'facts.milestones', 'facts.milestones.reached', 'facts.milestones.total'];

/** The exception of an episode as a sentence, if it is from one of `phases`. Other checks report bad step results. */
function thrownIn(phases: readonly string[], { task, turns, thrown }: CheckedEpisode): string[] {
  if (thrown === undefined || !phases.includes(thrown.phase)) return [];
  return [`task ${shorten(task)}: ${thrown.phase} ${turns.length} threw: ${thrown.message}`];
}

function badMilestones(now: NonNullable<Facts['milestones']>, before: Facts['milestones']): string | undefined {
  if (before !== undefined && before.total !== now.total)
    return `the total of milestones changes from ${before.total} to ${now.total}`;
  if (before !== undefined && now.reached < before.reached)
    return `milestones fall from ${before.reached} to ${now.reached}`;
  return undefined;
}

export const episodeChecks: readonly EnvironmentCheck[] = [
  {
    id: 'reset',
    title: 'reset returns an observation for every task',
    severity: 'error',
    likelyCause: '`reset` cannot read an id of a split, or needs something that is only on this machine',
    why: 'The task cannot be played. Its episodes fail and are retried, and too many of them end the run.',
    cure: 'Let reset() accept every id of the splits, and use only files of the package.',
    run: (context) =>
      context.randomEpisodes.flatMap(({ task, start, thrown }) => {
        if (thrown?.phase === 'reset') return [`reset(${shorten(task)}) threw: ${thrown.message}`];
        return start.observation === '' ? [`reset(${shorten(task)}) returned no text`] : [];
      }),
  },
  {
    id: 'random-play',
    title: 'random play throws nothing',
    severity: 'error',
    likelyCause: "a step that trusts its action, or `act('random')` in a state without legal actions",
    why: 'After an exception the episode failed and is not used for training. The random baseline would be missing.',
    cure: "Return a step result for any action, and let act('random') return an action in every state.",
    run: ({ randomEpisodes }) => randomEpisodes.flatMap((episode) => thrownIn(['action', 'step'], episode)),
  },
  {
    id: 'sample-action',
    title: 'the random baseline plays some legal actions',
    severity: 'warning',
    likelyCause: "`act('random')` writes another grammar than `step` reads",
    why: 'Compared with a random baseline without legal actions, any policy looks good.',
    cure: "Let act('random') write actions in the grammar of step().",
    run: (context) => {
      const turns = context.randomEpisodes.flatMap((episode) => episode.turns);
      return turns.length > 0 && turns.every(({ result }) => result.facts.invalid)
        ? [`0 of ${turns.length} random actions were legal; one was ${shorten(turns[0]?.action ?? '')}`]
        : [];
    },
  },
  {
    id: 'step-result',
    title: 'step returns text, finite numbers, booleans and JSON',
    severity: 'error',
    likelyCause: 'a missing member, NaN in the reward, a getter that throws, or an object with methods in `details`',
    why: 'Other values reach the log, the reward and the gradient.',
    cure: 'Return {observation, reward, terminated, truncated, facts: {success, invalid}} from every step.',
    run: (context) => [
      ...badAnswers(context, (member) => !ofOwnCheck.includes(member)),
      ...overTurns(context, ({ result: { observation } }) =>
        isWellFormed(observation)
          ? undefined
          : 'the observation contains half a surrogate pair, which cannot be saved to a file',
      ),
    ],
  },
  {
    id: 'progress-range',
    title: 'progress lies in [0, 1]',
    severity: 'error',
    likelyCause: 'progress is a number of steps or points instead of a share',
    why: 'Reward schemes pay progress as a share. Beyond 1, a failure could be worth more than a success.',
    cure: 'Divide by the maximum.',
    run: (context) => badAnswers(context, (member) => member === 'facts.progress'),
  },
  {
    id: 'observation-length',
    title: 'no observation is longer than the host shows',
    severity: 'warning',
    likelyCause: 'the observation is a whole page or log without paging; or set `play.observationCharacters`',
    why: 'The host cuts longer observations and marks the cut. The agent would miss the end.',
    cure: 'Show one page at a time, or set `play.observationCharacters` in the contribution.',
    run: (context) => {
      const limit = context.contribution.play?.observationCharacters ?? usualObservationCharacters;
      return allEpisodes(context)
        .flatMap(({ task, start, turns }) => {
          const observations = [start.observation, ...turns.map(({ result }) => result.observation)];
          const longest = observations.reduce((most, { length }) => Math.max(most, length), 0);
          return longest > limit
            ? [`task ${shorten(task)}: an observation has ${longest} characters; the host cuts it after ${limit}`]
            : [];
        })
        .slice(0, 5);
    },
  },
  {
    id: 'progress-falls',
    title: 'progress never falls',
    severity: 'error',
    likelyCause: 'progress of the current state instead of the best so far',
    why: 'If progress falls and rises again, the agent is paid again for work that it undid.',
    cure: 'Report the best progress so far.',
    run: (context) =>
      overTurns(context, ({ result: { facts } }, before) => {
        const last = before?.result.facts.progress;
        if (last === undefined) return undefined;
        if (facts.progress === undefined) return 'progress is present on one turn and missing on the next';
        return facts.progress < last ? `progress falls from ${last} to ${facts.progress}` : undefined;
      }),
  },
  {
    id: 'milestones',
    title: 'the milestone count only rises, and the total is fixed',
    severity: 'error',
    likelyCause: 'a total that depends on the state, or a milestone that can be undone',
    why: 'Reward schemes pay for milestones by their number. A changing total breaks their bounds.',
    cure: 'Fix the total in reset(), and count each milestone once.',
    run: (context) => [
      ...badAnswers(context, (member) => ofOwnCheck.includes(member) && member !== 'facts.progress'),
      ...overTurns(context, ({ result: { facts } }, before) =>
        facts.milestones === undefined ? undefined : badMilestones(facts.milestones, before?.result.facts.milestones),
      ),
    ],
  },
  {
    id: 'facts',
    title: 'steps report exactly the declared facts',
    severity: 'error',
    likelyCause: '`facts` is missing in the contribution, or some steps leave a fact out',
    why: 'If the declaration is missing, rewards that need the fact are refused. If the fact is missing, they pay nothing.',
    cure: 'List in the contribution exactly the facts that every step reports.',
    run: (context) => {
      const declared = context.contribution.facts ?? [];
      return overTurns(context, ({ result: { facts } }) => {
        const wrong = optionalFacts.find((fact) => declared.includes(fact) !== (facts[fact] !== undefined));
        if (wrong === undefined) return undefined;
        return declared.includes(wrong)
          ? `\`${wrong}\` is declared but not reported`
          : `\`${wrong}\` is reported but not declared: write \`facts: [${[...declared, wrong].map((fact) => `'${fact}'`).join(', ')}]\` in the contribution`;
      }).slice(0, 1);
    },
  },
  {
    id: 'success-ends',
    title: 'success ends the episode',
    severity: 'warning',
    likelyCause: 'a solved task can still be played',
    why: 'Turns after the solution cost tokens and teach nothing.',
    cure: 'Terminate on the turn that solves the task.',
    run: (context) =>
      overTurns(context, ({ result }) =>
        result.facts.success && !result.terminated ? 'success, but not terminated' : undefined,
      ),
  },
  {
    id: 'success-falls',
    title: 'success stays true',
    severity: 'error',
    likelyCause: '`success` describes the last action instead of the task',
    why: 'agentgym reads success at the end. The success would count as a failure.',
    cure: 'Let `success` describe the task, not the last action.',
    run: (context) =>
      overTurns(context, ({ result }, before) =>
        before?.result.facts.success === true && !result.facts.success
          ? 'the task was solved and is no longer solved'
          : undefined,
      ),
  },
  {
    id: 'ending',
    title: 'a step terminates or truncates, not both',
    severity: 'error',
    likelyCause: 'the task ends on the turn that reaches a cap; this is terminated',
    why: "After termination the value is 0; after truncation it is the critic's estimate. Both together are a contradiction.",
    cure: 'If the task ends on the turn that reaches a cap, return terminated.',
    run: (context) =>
      overTurns(context, ({ result }) =>
        result.terminated && result.truncated ? 'terminated and truncated' : undefined,
      ),
  },
  {
    id: 'oracle',
    title: 'the oracle solves every task with legal actions',
    severity: 'error',
    likelyCause: 'the oracle plans once and not from the current state, or a task has no solution',
    why: 'Demonstrations, upper baselines and the proof that tasks can be solved all come from the oracle.',
    cure: 'Let it plan from the current state, in the grammar of step(). Remove tasks without a solution.',
    idle: ({ oracleEpisodes }) => (oracleEpisodes === undefined ? 'the environment has no oracle' : undefined),
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
    title: 'the oracle needs at most `maxTurns` turns',
    severity: 'warning',
    likelyCause: '`maxTurns` is lower than the turns that some task needs',
    why: 'Horizons come from maxTurns. Tasks that need more turns can never be solved.',
    cure: 'Raise `maxTurns` of the world, or remove the longer tasks.',
    idle: ({ world, oracleEpisodes }) => {
      if (world.maxTurns === undefined) return 'the world has no `maxTurns`';
      return oracleEpisodes === undefined ? 'the environment has no oracle' : undefined;
    },
    run: ({ world: { maxTurns = Infinity }, oracleEpisodes = [] }) =>
      oracleEpisodes.flatMap(({ task, turns }) =>
        turns.length > maxTurns
          ? [`the oracle needs ${turns.length} turns for task ${shorten(task)}, but maxTurns is ${maxTurns}`]
          : [],
      ),
  },
];
