import type { Facts } from './facts.js';
import type { Json } from './json.js';

/** The cap that cut an episode. `environment` is a cap of the environment's own. */
export type TruncationCause = 'horizon' | 'tokens' | 'environment';

/** A call of a tool, in the place of an action. What the tool answered is the next observation. */
export interface ToolCall {
  /** The tool, as the recipe names it. */
  readonly name: string;
  /**
   * `answered`; `failed`: the tool could not carry it out; `malformed`: the tool could not read the text; `refused`: no
   * calls were left. Only the first two reached the tool.
   */
  readonly status: 'answered' | 'failed' | 'malformed' | 'refused';
  /** What was asked of the tool; absent where the text was malformed. */
  readonly call?: Json;
  /** Length of the tool's output before it was cut. */
  readonly outputCharacters: number;
}

/** One observation and the action that followed it. */
export interface Turn {
  readonly observation: string;
  /** Length of the observation before it was cut; absent: it is whole. */
  readonly observationCharacters?: number;
  /** What the policy wrote, without its end token. */
  readonly text: string;
  /** What the environment was given; absent where the text was malformed or called a tool. */
  readonly action?: string;
  /** Why the text was no action. */
  readonly malformed?: string;
  /** The tool that the text called: the environment was not stepped. */
  readonly toolCall?: ToolCall;
  /** The action ran into `maxActionTokens`; its end token was appended, not sampled. */
  readonly cut: boolean;
  /** Sum of the weighted terms: what is trained on. */
  readonly reward: number;
  /** Each reward term's weighted part, by name. */
  readonly components: { readonly [term: string]: number };
  /** The environment's own reward. */
  readonly native: number;
  readonly facts: Facts;
  /** Half-open range of the sampled tokens in the episode's `tokens`; absent for players without tokens. */
  readonly sampled?: readonly [start: number, end: number];
  /** The policy version that sampled the turn. */
  readonly policyVersion?: number;
}

/**
 * An episode as one growing token sequence: what was sampled is what is trained on, bit for bit. `mask` is 1 on tokens
 * that the policy sampled, and `logprobs` holds, there, the sampler's log-softmax(logits / temperature) over the whole
 * vocabulary.
 *
 * The optional arrays have an entry per token. They are there to be looked at, on episodes that are kept on record, and
 * their numbers, 0 where `mask` is 0, are rounded to six digits. `advantages`, `kl` and `values` are absent where the
 * episode was not trained on: its group said nothing, or was not paid for.
 */
export interface TokenRecord {
  readonly tokens: readonly number[];
  readonly mask: readonly (0 | 1)[];
  /** 0 where `mask` is 0. */
  readonly logprobs: readonly number[];
  /** Each token as text, by the encoder's `piece`. */
  readonly pieces?: readonly string[];
  /** As the loss reads them; the sum, where an episode stands in several rows of the batch. */
  readonly advantages?: readonly number[];
  /** log p - log p_reference of the token (k1), before the first update; where the algorithm has a reference. */
  readonly kl?: readonly number[];
  /** What the critic expected before the token; where the algorithm has a critic. */
  readonly values?: readonly number[];
}

/** Where an episode stands in a run; also the path of its random stream. */
export interface EpisodeKey {
  /** Training iteration, or 0 in an evaluation. */
  readonly iteration: number;
  /** Task id. */
  readonly task: string;
  /** Episodes of one task sampled together share a group; in order of collection. */
  readonly group: number;
  /** Number within the group, from 0. */
  readonly member: number;
}

/**
 * A whole episode that ended, by itself or by a cap.
 *
 * @example
 * ```ts
 * // episode.ts
 * import type { CompletedEpisode } from '@agentgym/cli';
 *
 * export const episode: CompletedEpisode = {
 *   iteration: 3,
 *   task: '17',
 *   group: 0,
 *   member: 1,
 *   status: 'completed',
 *   turns: [
 *     {
 *       observation: 'The die is rolled.',
 *       text: '6',
 *       action: '6',
 *       cut: false,
 *       reward: 1,
 *       components: { sparse: 1 },
 *       native: 1,
 *       facts: { success: true, invalid: false },
 *       sampled: [4, 6],
 *       policyVersion: 40,
 *     },
 *   ],
 *   finalObservation: 'It shows 6.',
 *   terminated: true,
 *   success: true,
 *   return: 1,
 *   // Four ids of the prompt, then what was sampled: "6" and the end token.
 *   record: { tokens: [21, 7, 9, 30, 6, 0], mask: [0, 0, 0, 0, 1, 1], logprobs: [0, 0, 0, 0, -1.6, -0.1] },
 *   retries: 0,
 * };
 * ```
 */
export interface CompletedEpisode extends EpisodeKey {
  readonly status: 'completed';
  /** The rules of this task, where they are not the world's own. */
  readonly instructions?: string;
  readonly turns: readonly Turn[];
  /** What the last action brought about. */
  readonly finalObservation: string;
  /** Its length before it was cut; absent: it is whole. */
  readonly finalObservationCharacters?: number;
  readonly terminated: boolean;
  /** Absent where the episode ended by itself: ending on the very turn of a cap is ending. */
  readonly truncated?: TruncationCause;
  readonly success: boolean;
  /** Undiscounted sum of the turns' rewards. */
  readonly return: number;
  /**
   * The returns of all completed episodes of its group, its own among them, also where few of them are kept; on
   * episodes of training that are on record.
   */
  readonly groupReturns?: readonly number[];
  /** Absent for players without tokens. */
  readonly record?: TokenRecord;
  /** How often it failed before it went through. */
  readonly retries: number;
}

/** An episode that infrastructure broke: recorded, counted, never trained on, in no denominator. */
export interface FailedEpisode extends EpisodeKey {
  readonly status: 'failed';
  readonly failure: {
    /**
     * Whose work broke; `deadline`: whoever the message names took too long. `reset` is the making of the instance,
     * too; `player` an expert, too.
     */
    readonly phase: 'reset' | 'step' | 'conclude' | 'player' | 'tool' | 'deadline';
    readonly message: string;
  };
  /** Turns played before it broke. */
  readonly turns: readonly Turn[];
  readonly retries: number;
}

/** An episode as it is recorded: `status` says which of the two it is. */
export type Episode = CompletedEpisode | FailedEpisode;
