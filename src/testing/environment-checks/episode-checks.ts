// What a step answers, over the episodes of the random baseline and of the oracle.
import { isDeepStrictEqual } from 'node:util';

import type { Facts, OptionalFact, StepResult } from '../../contracts/environment.js';
import { shorten } from '../shorten.js';
import type { CheckContext, EnvironmentCheck } from './check-context.js';
import { isWellFormed, type PlayedEpisode, type PlayedTurn } from './play-episode.js';

const optionalFacts: readonly OptionalFact[] = ['progress', 'milestones'];

function allEpisodes(context: CheckContext): readonly PlayedEpisode[] {
  return [...context.randomEpisodes, ...(context.oracleEpisodes ?? [])];
}

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

function misshapen({ observation, reward, terminated, truncated, facts }: StepResult): string | undefined {
  if (typeof observation !== 'string') return 'the observation is no string';
  if (!isWellFormed(observation)) return 'the observation holds half a surrogate pair, which no file can keep';
  if (!Number.isFinite(reward)) return `the reward is ${reward}`;
  if (typeof terminated !== 'boolean' || typeof truncated !== 'boolean')
    return 'terminated and truncated are not both booleans';
  if (typeof facts !== 'object' || typeof facts.success !== 'boolean' || typeof facts.invalid !== 'boolean') {
    return 'facts.success and facts.invalid are not both booleans';
  }
  if (facts.details !== undefined && !isDeepStrictEqual(JSON.parse(JSON.stringify(facts.details)), facts.details)) {
    return 'facts.details is not JSON';
  }
  return undefined;
}

function badMilestones(now: NonNullable<Facts['milestones']>, before: Facts['milestones']): string | undefined {
  if (!Number.isInteger(now.reached) || !Number.isInteger(now.total)) return 'milestones are not whole numbers';
  if (now.reached < 0 || now.reached > now.total) return `${now.reached} of ${now.total} milestones are reached`;
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
    likelyCause: 'an id that `tasks` lists and `reset` cannot read, or a reset that needs something of the machine',
    run: (context) =>
      context.randomEpisodes.flatMap(({ task, observation, thrown }) => {
        if (thrown?.phase === 'reset') return [`reset(${shorten(task)}) threw: ${thrown.message}`];
        return typeof observation === 'string' && observation !== '' ? [] : [`reset(${shorten(task)}) gave no text`];
      }),
  },
  {
    id: 'random-play',
    title: 'random play ends or goes on, and throws nothing',
    severity: 'error',
    likelyCause: 'a step that trusts its action, or `sampleAction` in a state without legal actions',
    run: (context) =>
      context.randomEpisodes.flatMap(({ task, turns, thrown }) =>
        thrown === undefined || thrown.phase === 'reset'
          ? []
          : [`task ${shorten(task)}: ${thrown.phase} ${turns.length} threw: ${thrown.message}`],
      ),
  },
  {
    id: 'sample-action',
    title: 'the random baseline plays a legal action now and then',
    severity: 'warning',
    likelyCause: '`sampleAction` writes another grammar than `step` reads, so that the baseline is no baseline',
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
    likelyCause: 'a missing field, NaN in the reward, or an object with methods in `details`',
    run: (context) => overTurns(context, ({ result }) => misshapen(result)),
  },
  {
    id: 'progress-range',
    title: 'progress lies in [0, 1]',
    severity: 'error',
    likelyCause: 'progress counted in steps or points instead of a share',
    run: (context) =>
      overTurns(context, ({ result: { facts } }) =>
        facts.progress === undefined || (facts.progress >= 0 && facts.progress <= 1)
          ? undefined
          : `progress is ${facts.progress}`,
      ),
  },
  {
    id: 'progress-falls',
    title: 'progress never falls, unless the contribution says so',
    severity: 'error',
    likelyCause: 'progress of the present state instead of the best so far; or declare `progressFalls: true`',
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
    run: (context) =>
      overTurns(context, ({ result: { facts } }, before) =>
        facts.milestones === undefined ? undefined : badMilestones(facts.milestones, before?.result.facts.milestones),
      ),
  },
  {
    id: 'facts',
    title: 'steps report the facts that the contribution declares, and no others',
    severity: 'error',
    likelyCause:
      '`facts` is missing in the contribution, or a fact is left out of some steps: rewards that need it are refused, or pay nothing',
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
    idle: ({ oracleEpisodes }) => (oracleEpisodes === undefined ? 'it has no oracle' : undefined),
    run: (context) =>
      (context.oracleEpisodes ?? []).flatMap(({ task, turns, thrown }) => {
        if (thrown !== undefined)
          return [`task ${shorten(task)}: ${thrown.phase} ${turns.length} threw: ${thrown.message}`];
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
    title: 'the oracle stays within the contribution’s maximum of turns',
    severity: 'warning',
    likelyCause: '`maxTurns` below what some task needs, so that horizons taken from it make the task unsolvable',
    idle: ({ contribution, oracleEpisodes }) => {
      if (contribution.maxTurns === undefined) return 'the contribution names no maximum';
      return oracleEpisodes === undefined ? 'it has no oracle' : undefined;
    },
    run: ({ contribution: { maxTurns }, oracleEpisodes }) =>
      maxTurns === undefined
        ? []
        : (oracleEpisodes ?? []).flatMap(({ task, turns }) =>
            turns.length > maxTurns
              ? [`task ${shorten(task)} takes the oracle ${turns.length} turns, maxTurns is ${maxTurns}`]
              : [],
          ),
  },
];
