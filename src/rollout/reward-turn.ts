import type { Facts } from '../contracts/facts.js';
import type { RewardTurn } from '../contracts/reward.js';
import type { Turn } from '../contracts/trajectory.js';

/** Where a turn stands in its episode. */
interface TurnPlace extends Pick<RewardTurn, 'terminated' | 'truncated' | 'index'> {
  /** Facts of the turn before. */
  readonly previous: Facts | undefined;
  readonly references: readonly string[] | undefined;
}

/** A turn as reward schemes see it. */
export function rewardTurn(
  turn: Pick<Turn, 'text' | 'action' | 'calls' | 'cut' | 'malformed' | 'sampled' | 'facts' | 'native'>,
  { previous, references, ...place }: TurnPlace,
): RewardTurn {
  const { text, action, calls, cut, malformed, sampled, facts, native } = turn;
  return {
    text,
    ...(action !== undefined && { action }),
    ...(references && { references }),
    facts,
    ...(previous !== undefined && { previous }),
    native,
    malformed: malformed !== undefined,
    cut,
    tokens: sampled === undefined ? 0 : sampled[1] - sampled[0],
    ...(calls && { calls: calls.map(({ name, status }) => ({ name, failed: status !== 'answered' })) }),
    ...place,
  };
}
