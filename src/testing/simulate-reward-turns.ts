import type { Facts } from '../contracts/facts.js';
import type { Random } from '../contracts/random.js';
import type { BoundsContext, RewardTurn } from '../contracts/reward.js';

/** An episode as a reward scheme sees it. */
export interface SimulatedEpisode {
  readonly turns: readonly RewardTurn[];
  readonly success: boolean;
  readonly context: BoundsContext;
}

/** Maximum number of calls of a turn. */
const mostCalls = 3;

/** Answers of the player, and the right one. */
const answers = ['4', 'four apples', 'north'];
const references = ['4', '4.0'];

/** Maximum number of tokens of a turn. */
const actionTokens = 50;

/**
 * A possible episode of an environment: with or without progress and milestones, solved or not, with malformed, illegal
 * and cut actions, with or without calls of tools. A solved task stays solved for a turn or two if the environment
 * continues.
 */
export function simulateEpisode(random: Random): SimulatedEpisode {
  const horizon = random.integer(1, 9);
  const total = random.integer(0, 3) === 0 ? undefined : random.integer(1, 6);
  const hasProgress = random.integer(0, 4) > 0;
  const tools = random.stream('tools').integer(0, 2) === 1;
  const success = random.integer(0, 2) === 1;
  const length = success ? random.integer(1, horizon + 1) : horizon;
  const solvedAt = success ? random.integer(Math.max(0, length - 2), length) : Infinity;
  const turns: RewardTurn[] = [];
  let progress = 0;
  let reached = 0;
  for (let index = 0; index < length; index += 1) {
    const calls = tools && index < solvedAt && random.stream('call', index).integer(0, 3) === 0;
    const malformed = random.integer(0, 5) === 0 && index !== solvedAt && !calls;
    const invalid = malformed || (random.integer(0, 5) === 0 && index !== solvedAt && !calls);
    if (!invalid && !calls) {
      progress = random.integer(0, 4) === 0 ? 1 : progress + random.uniform() * (1 - progress);
      reached = random.integer(reached, (total ?? 0) + 1);
    }
    const facts: Facts = {
      success: index >= solvedAt,
      invalid,
      ...(hasProgress && { progress }),
      ...(total !== undefined && { milestones: { reached, total } }),
    };
    const previous = turns.at(-1)?.facts;
    const last = index === length - 1;
    const terminated = last && (success || (random.integer(0, 2) === 1 && !calls));
    const text = random.stream('text', index).choice(answers);
    turns.push({
      text,
      ...(!malformed && !calls && { action: text }),
      references,
      facts,
      ...(previous && { previous }),
      native: malformed || calls ? 0 : random.normal(),
      malformed,
      cut: random.integer(0, 6) === 0,
      tokens: random.integer(0, actionTokens + 1),
      ...(calls && { calls: simulateCalls(random.stream('failed', index)) }),
      terminated,
      truncated: last && !terminated,
      index,
    });
  }
  return {
    turns,
    success,
    context: {
      horizon,
      actionTokens,
      ...(tools && { calls: mostCalls }),
      ...(total !== undefined && { milestones: total }),
    },
  };
}

function simulateCalls(random: Random): NonNullable<RewardTurn['calls']> {
  const count = random.integer(1, mostCalls + 1);
  return Array.from({ length: count }, () => ({ name: 'tool', failed: random.integer(0, 2) === 1 }));
}
