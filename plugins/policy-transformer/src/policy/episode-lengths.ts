import type { ConversationEncoder, PolicyLoad } from '@agentgym/cli';

/** Lengths of the episodes that a recipe allows. */
export interface EpisodeLengths {
  /** Tokens of the longest episode. */
  readonly longest: number;
  /** Tokens of an episode with observations of usual length. */
  readonly usual: number;
  /** Most sampled tokens of an episode. */
  readonly sampled: number;
}

/** Assumed tokens of the text before the first action, and of a later observation, if no episode was played. */
const UNKNOWN = { begin: 64, observation: 16 };

/**
 * Lengths if every action is as long as it may be, and no episode ends before its last turn. Observations are as long as
 * in the load's conversations.
 * @param limit most tokens of a sequence
 */
export function episodeLengths(
  { conversations, turns, actionTokens }: PolicyLoad,
  encoder: Pick<ConversationEncoder, 'begin' | 'append'>,
  limit: number,
): EpisodeLengths {
  const action = actionTokens + 1;
  const whole = conversations.map(({ system, observations }) => {
    const [first = '', ...later] = observations;
    const counts = later.map((observation) => encoder.append(observation).length);
    const mean =
      counts.length === 0 ? UNKNOWN.observation : counts.reduce((sum, count) => sum + count, 0) / counts.length;
    return encoder.begin(system, first).length + turns * (action + mean);
  });
  if (whole.length === 0) whole.push(UNKNOWN.begin + turns * (action + UNKNOWN.observation));
  const usual = whole.reduce((sum, length) => sum + length, 0) / whole.length;
  return {
    longest: Math.ceil(Math.min(limit, Math.max(...whole))),
    usual: Math.ceil(Math.min(limit, usual)),
    sampled: Math.min(limit - 1, turns * action),
  };
}
