import type { RewardScheme, RewardTurn } from '@agentgym/cli';
import { type AnswerRule, answerRules, numberWithin } from '@agentgym/world-kit';

import type { VerifiedOptions } from './options.js';

/** Compares the answer that ends an episode with the right answers of its task, and pays how well the best of them fits. */
export function create({ match, tolerance, after }: VerifiedOptions): RewardScheme {
  const rule: AnswerRule = match === 'number' ? numberWithin(tolerance) : answerRules[match];
  return {
    density: 'outcome',
    score(turn) {
      if (!turn.terminated && !turn.truncated) return 0;
      const answer = answerOf(turn, after);
      return answer === undefined ? 0 : rule(answer, turn.references ?? []);
    },
    bounds: () => ({ success: [0, 1], failure: [0, 1] }),
  };
}

/** The action, or what comes after the last mark in it. Undefined if there is none. */
function answerOf({ action }: RewardTurn, after: string | null): string | undefined {
  if (action === undefined || after === null) return action;
  const place = action.lastIndexOf(after);
  return place < 0 ? undefined : action.slice(place + after.length);
}
