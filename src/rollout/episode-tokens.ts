// Only this file and the worked examples put token ids of an episode together. Rollouts and demonstrations both use them,
// so they have the same layout. The ids of a sequence are only appended. Sampled ids are never encoded again.
import type { ConversationEncoder } from '../contracts/policy.js';
import type { TokenRecord } from '../contracts/trajectory.js';
import { encodeObservation, type WorkedExamples } from './worked-examples.js';

/**
 * How much of an episode a policy reads before an action, besides the system text, the examples and the task's first
 * observation: all turns before it; or at most the last `turns`, and as many as leave room for the action in `tokens` ids.
 */
export type History = 'full' | { readonly turns?: number; readonly tokens?: number };

/** The limits of a history; Infinity where it has none. */
export function windowOf(history: History = 'full'): { readonly turns: number; readonly tokens: number } {
  const { tokens = Infinity, turns = Infinity } = history === 'full' ? {} : history;
  return { turns, tokens };
}

/** How a conversation begins. */
export interface Opening {
  readonly system: string;
  /** The first observation. */
  readonly observation: string;
  /** Games before it. Absent: none. */
  readonly examples?: WorkedExamples | undefined;
  /** As in `begin` of the encoder. Default: true. */
  readonly describesFunctions?: boolean | undefined;
  /** Default: `full`. */
  readonly history?: History | undefined;
}

/** Numbers of ids that must not be exceeded. */
export interface TokenLimits {
  /** Most ids of an action. */
  readonly actionTokens: number;
  /** Most ids of a sequence. */
  readonly maxTokens: number;
  /** Most ids of the episode, each observation and action counted once. Default: no limit. */
  readonly maxEpisodeTokens?: number | undefined;
}

/** The ids of a sequence while it grows. */
interface Growing {
  readonly tokens: number[];
  readonly mask: (0 | 1)[];
  readonly logprobs: number[];
}

/**
 * What a policy reads and samples in an episode: a sequence that grows from turn to turn. Where the next action does not
 * see all of it, because a turn left the window or the template drops thoughts, another sequence begins. It shows earlier
 * actions by their sampled ids, with mask 0.
 */
export class EpisodeTokens {
  readonly #encoder: ConversationEncoder;
  readonly #opening: Opening;
  readonly #sequences: [Growing, ...Growing[]];
  /** Before each turn. */
  readonly #observations: { readonly text: string; readonly ids: readonly number[] }[];
  /** With their end tokens, as they were written. */
  readonly #actions: (readonly number[])[] = [];
  /** The first turn that the current sequence shows. */
  #from = 0;
  /** Ids that were read or sampled, each observation and action counted once. */
  #read: number;
  /** Role of the message with the first observation. */
  readonly firstRole: 'tool' | 'user';

  constructor(encoder: ConversationEncoder, opening: Opening) {
    this.#encoder = encoder;
    this.#opening = opening;
    const { ids, role } = this.#begin(opening.observation);
    this.firstRole = role;
    this.#observations = [{ text: opening.observation, ids }];
    this.#sequences = [begun(ids)];
    this.#read = ids.length;
  }

  /** The ids that the next action continues. */
  get tokens(): readonly number[] {
    return this.#current.tokens;
  }

  /** The place of the current sequence among the episode's. */
  get place(): number {
    return this.#sequences.length - 1;
  }

  /**
   * Appends an action. If it did not end by itself, an end token with mask 0 follows, which was not sampled.
   *
   * @returns the half-open range of the sampled tokens in the current sequence
   */
  addAction(tokens: readonly number[], logprobs: readonly number[], ended: boolean): readonly [number, number] {
    const sequence = this.#current;
    const start = sequence.tokens.length;
    for (const [index, token] of tokens.entries()) push(sequence, token, 1, logprobs[index] ?? 0);
    const end = sequence.tokens.length;
    const forced = ended ? [] : this.#encoder.endIds.slice(0, 1);
    for (const token of forced) push(sequence, token, 0, 0);
    this.#close([...tokens, ...forced]);
    return [start, end];
  }

  /** Appends an action from which nothing is learned, with its end token. */
  addContext(tokens: readonly number[]): void {
    for (const token of tokens) push(this.#current, token, 0, 0);
    this.#close(tokens);
  }

  /**
   * Adds the observation after an action, in the current sequence or in another that begins with it. A sequence gets at
   * most `maxTokens` ids.
   *
   * @param isAnswer the action was a function call
   * @returns the role of the observation's message
   */
  addObservation(observation: string, limits: TokenLimits, isAnswer = false): 'tool' | 'user' {
    const { ids, role } = encodeObservation(this.#encoder, observation, isAnswer);
    this.#observations.push({ text: observation, ids });
    this.#read += ids.length;
    const from = this.#firstShown(limits);
    const isCut = from > this.#from || this.#dropsThoughts();
    this.#from = from;
    if (isCut) this.#sequences.push(begun([]));
    const { tokens } = this.#current;
    const longest = Math.min(limits.maxTokens, this.window);
    const more = (isCut ? this.#prompt(from) : ids).slice(0, Math.max(0, longest - tokens.length));
    for (const id of more) push(this.#current, id, 0, 0);
    return role;
  }

  /** Whether an action and an end token still fit. */
  hasRoom({ actionTokens, maxTokens, maxEpisodeTokens = Infinity }: TokenLimits): boolean {
    const more = actionTokens + 1;
    return this.tokens.length + more <= Math.min(maxTokens, this.window) && this.#read + more <= maxEpisodeTokens;
  }

  records(): readonly TokenRecord[] {
    return this.#sequences;
  }

  get #current(): Growing {
    return this.#sequences.at(-1) as Growing;
  }

  /** Most ids of a sequence, by the history. */
  get window(): number {
    return windowOf(this.#opening.history).tokens;
  }

  /** The number of the first turn that the next action sees. Turns that left the window never come back. */
  #firstShown({ actionTokens }: TokenLimits): number {
    const { tokens, turns } = windowOf(this.#opening.history);
    const played = this.#actions.length;
    let from = Math.max(this.#from, played - turns);
    if (tokens === Infinity) return from;
    while (from < played && this.#prompt(from).length + actionTokens + 1 > tokens) from += 1;
    return from;
  }

  /** Whether the template shows the last action, or what stands before it, in another way from now on. */
  #dropsThoughts(): boolean {
    const { earlierActions } = this.#encoder;
    const last = this.#actions.at(-1);
    if (earlierActions === undefined || last === undefined) return false;
    return earlierActions.promptIds > 0 || earlierActions.shown(last).length < last.length;
  }

  /** The ids before the next action, if turn `from` is the first that they show. */
  #prompt(from: number): number[] {
    const { earlierActions: earlier } = this.#encoder;
    const ids = [...(from === 0 ? this.#observations[0]!.ids : this.#begin(this.#later(from)).ids)];
    for (const [turn, action] of this.#actions.entries()) {
      if (turn < from) continue;
      ids.length -= earlier?.promptIds ?? 0;
      for (const id of earlier?.shown(action) ?? action) ids.push(id);
      for (const id of this.#observations[turn + 1]!.ids) ids.push(id);
    }
    return ids;
  }

  /**
   * The text of the first message if the turns before this one are not shown. Worlds tell goals and rules in the first
   * observation, so it stays.
   */
  #later(from: number): string {
    const note = from === 1 ? '[1 turn is not shown.]' : `[${from} turns are not shown.]`;
    const texts = [this.#observations[0]!.text, note, this.#observations[from]!.text];
    return texts.filter((text) => text !== '').join('\n\n');
  }

  /** The ids of the system text, the examples and the first message. */
  #begin(observation: string): { readonly ids: readonly number[]; readonly role: 'tool' | 'user' } {
    const encoder = this.#encoder;
    const { describesFunctions, examples, system } = this.#opening;
    if (examples === undefined) return { ids: encoder.begin(system, observation, describesFunctions), role: 'user' };
    const first = encodeObservation(encoder, examples.before(observation), examples.endWithCall);
    return { ids: [...examples.begin(encoder, system, describesFunctions), ...first.ids], role: first.role };
  }

  #close(action: readonly number[]): void {
    this.#actions.push(action);
    this.#read += action.length;
  }
}

/** A sequence of ids that were not sampled. */
function begun(ids: readonly number[]): Growing {
  return { tokens: [...ids], mask: ids.map(() => 0), logprobs: ids.map(() => 0) };
}

function push({ tokens, mask, logprobs }: Growing, token: number, sampled: 0 | 1, logprob: number): void {
  tokens.push(token);
  mask.push(sampled);
  logprobs.push(logprob);
}
