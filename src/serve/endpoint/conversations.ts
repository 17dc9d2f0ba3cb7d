import type { ConversationEncoder } from '../../contracts/policy.js';
import { ConversationKey } from './conversation-key.js';
import type { EncodedChat } from './encode-request.js';
import type { ReadText } from './read-tool-calls.js';

/** What was sampled after some messages. */
interface Remembered {
  readonly tokens: readonly number[];
  readonly ended: boolean;
  /** Names the sequence in the model's memory. Undefined while another request continues it. */
  sequence: string | undefined;
}

/** A conversation in ids, up to the next answer. */
export interface Conversation {
  /** See `ConversationKey`. */
  readonly key: string;
  readonly tokens: readonly number[];
  /** Names the sequence in the model's memory. */
  readonly sequence: string;
}

/** Conversations whose last answer is remembered. */
const MOST_REMEMBERED = 4096;
/** Tokens of all remembered answers: a few megabytes, however long they are. */
const MOST_TOKENS = 1_000_000;
/** Sequences whose keys and values the model may keep. */
const MOST_SEQUENCES = 512;

/**
 * Makes ids of conversations. Clients send the whole conversation as text each time, and text that is encoded again may give other
 * ids than were sampled. So the ids of each answer are remembered by the messages before it, and a conversation that goes on
 * is one growing sequence, as in training.
 */
export class Conversations {
  readonly #end: number;
  readonly #release: (sequences: readonly string[]) => void;
  /** The oldest first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #sequences = new Map<string, Remembered>();
  #made = 0;
  #tokens = 0;

  constructor({ endIds }: Pick<ConversationEncoder, 'endIds'>, release: (sequences: readonly string[]) => void) {
    this.#end = endIds[0]!;
    this.#release = release;
  }

  /** Whether the ids of an answer are remembered, by the key of its conversation. */
  knows(key: string): boolean {
    return this.#remembered.has(key);
  }

  /**
   * Undefined if an answer without ids was forgotten meanwhile.
   *
   * @param check throws if the conversation cannot go on; then its sequence stays free
   */
  open(
    { begin, key, turns }: Pick<EncodedChat, 'begin' | 'key' | 'turns'>,
    check: (tokens: readonly number[]) => void,
  ): Conversation | undefined {
    const parts: (readonly number[])[] = [begin];
    let last: Remembered | undefined;
    for (const { answer, key: own, observation } of turns) {
      last = this.#remembered.get(own);
      const ids = last?.tokens ?? answer;
      if (ids === undefined) return undefined;
      // An answer that did not end by itself gets an end token, which was not sampled.
      parts.push(ids, last?.ended ? [] : [this.#end], observation);
    }
    const tokens = parts.flat();
    check(tokens);
    return { key, tokens, sequence: this.#take(last) };
  }

  /** A name for a sequence that no conversation has. */
  newSequence(): string {
    return `request-${(this.#made += 1)}`;
  }

  /** Remembers the answer to a conversation: its text and calls as clients send them again, and its ids. */
  remember(
    { key: before, sequence }: Conversation,
    { calls, content }: ReadText,
    { ended, tokens }: { readonly tokens: readonly number[]; readonly ended: boolean },
  ): void {
    const key = new ConversationKey(before).addAnswer(content, calls).value;
    this.#forget(key);
    const remembered: Remembered = { tokens, ended, sequence };
    this.#remembered.set(key, remembered);
    this.#tokens += tokens.length;
    this.#sequences.set(sequence, remembered);
    for (const old of this.#remembered.keys()) {
      if (this.#remembered.size <= MOST_REMEMBERED && this.#tokens <= MOST_TOKENS) break;
      this.#forget(old);
    }
    for (const [name, holder] of this.#sequences) {
      if (this.#sequences.size <= MOST_SEQUENCES) break;
      this.#drop(name, holder);
    }
  }

  /** Continues the sequence of the last answer, unless another request does. */
  #take(last: Remembered | undefined): string {
    const { sequence } = last ?? {};
    if (last === undefined || sequence === undefined) return this.newSequence();
    last.sequence = undefined;
    this.#sequences.delete(sequence);
    return sequence;
  }

  #forget(key: string): void {
    const known = this.#remembered.get(key);
    if (known === undefined) return;
    this.#remembered.delete(key);
    this.#tokens -= known.tokens.length;
    if (known.sequence !== undefined) this.#drop(known.sequence, known);
  }

  #drop(name: string, holder: Remembered): void {
    holder.sequence = undefined;
    this.#sequences.delete(name);
    this.#release([name]);
  }
}
