import type { ConversationEncoder } from '../../contracts/policy.js';
import { EpisodeTokens, type Opening, type TokenLimits } from '../../rollout/episode-tokens.js';
import { ConversationKey } from './conversation-key.js';
import type { ConversationTexts, EncodedChat } from './encode-request.js';
import type { ReadText } from './read-tool-calls.js';

/** What was sampled after some messages. */
interface Remembered {
  readonly tokens: readonly number[];
  readonly ended: boolean;
  /** Names the sequence in the model's memory. Undefined while another request continues it. */
  sequence: string | undefined;
}

/** How the model reads conversations. */
interface Reading extends Pick<Opening, 'examples' | 'history'> {
  readonly encoder: ConversationEncoder;
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
  readonly #reading: Reading;
  readonly #end: number;
  readonly #release: (sequences: readonly string[]) => void;
  /** The oldest first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #sequences = new Map<string, Remembered>();
  #made = 0;
  #tokens = 0;

  constructor(reading: Reading, release: (sequences: readonly string[]) => void) {
    this.#reading = reading;
    this.#end = reading.encoder.endIds[0]!;
    this.#release = release;
  }

  /** Whether the ids of an answer are remembered, by the key of its conversation. */
  knows(key: string): boolean {
    return this.#remembered.has(key);
  }

  /**
   * Undefined if an answer without ids was forgotten meanwhile.
   *
   * @param limits of its prompt, and of the answer
   * @param check throws if the conversation cannot go on; then its sequence stays free. `most`: tokens of a prompt and its
   * answer, if there is a window
   */
  open(
    { begin, key, texts, turns }: Pick<EncodedChat, 'begin' | 'key' | 'texts' | 'turns'>,
    limits: TokenLimits,
    check: (tokens: readonly number[], most?: number) => void,
  ): Conversation | undefined {
    const answers: (readonly number[])[] = [];
    let last: Remembered | undefined;
    for (const { answer, key: own } of turns) {
      last = this.#remembered.get(own);
      const ids = last?.tokens ?? answer;
      if (ids === undefined) return undefined;
      // An answer that did not end by itself gets an end token, which was not sampled.
      answers.push(last?.ended ? ids : [...ids, this.#end]);
    }
    if (texts === undefined) {
      const tokens = [begin, ...turns.flatMap(({ observation }, turn) => [answers[turn]!, observation])].flat();
      check(tokens);
      return { key, tokens, sequence: this.#take(last) };
    }
    const { tokens, continues, window } = this.#shorten(texts, answers, limits);
    check(tokens, Math.min(limits.maxTokens, window));
    return { key, tokens, sequence: this.#take(continues ? last : undefined) };
  }

  /** The prompt of a conversation as in an episode, and whether it continues the sequence of the last answer. */
  #shorten(
    { observations, ...opening }: ConversationTexts,
    answers: readonly (readonly number[])[],
    { actionTokens }: TokenLimits,
  ): { readonly tokens: readonly number[]; readonly continues: boolean; readonly window: number } {
    const { encoder, ...how } = this.#reading;
    const episode = new EpisodeTokens(encoder, { ...opening, ...how });
    let before = 0;
    for (const [turn, { text, isAnswer }] of observations.entries()) {
      before = episode.place;
      episode.addContext(answers[turn]!);
      episode.addObservation(text, { actionTokens, maxTokens: Infinity }, isAnswer);
    }
    return { tokens: episode.tokens, continues: episode.place === before, window: episode.window };
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
