import type { ConversationEncoder } from '@agentgym/cli';

const markers = ['<unknown>', '<system>', '<observation>', '<action>', '<end>'] as const;
const [unknown, system, observation, action, end] = [0, 1, 2, 3, 4];

/** Splits a text into pieces: a word or a number with the space before it, or one character. */
const split = (text: string): readonly string[] => text.match(/ ?[\p{L}\p{M}\p{N}]+|[^]/gu) ?? [];

/**
 * Encodes text with a fixed vocabulary. No text is encoded as a marker, so an observation with `<end>` cannot forge
 * one. An episode is `<system> ... <observation> ... <action> ... <end> <observation> ...`.
 */
export class WordEncoder implements ConversationEncoder {
  readonly endIds = [end];
  readonly #ids: ReadonlyMap<string, number>;

  /** @param words distinct pieces of text; the first has the id 5 */
  constructor(readonly words: readonly string[]) {
    this.#ids = new Map(words.map((word, index) => [word, markers.length + index]));
  }

  /** Knows every word of a text, with and without the space before it, because an action may begin with any word. */
  static async of(corpus: AsyncIterable<string>): Promise<WordEncoder> {
    const words = new Set<string>();
    for await (const text of corpus) {
      for (const piece of split(text)) words.add(piece).add(piece.length > 1 ? piece.trimStart() : piece);
    }
    return new WordEncoder([...words].sort());
  }

  get vocabularySize(): number {
    return markers.length + this.words.length;
  }

  begin(systemText: string, observationText: string): readonly number[] {
    const rules = systemText === '' ? [] : [system, ...this.encodeAction(systemText)];
    return [...rules, ...this.append(observationText)];
  }

  append(observationText: string): readonly number[] {
    return [observation, ...this.encodeAction(observationText), action];
  }

  encodeAction(text: string): readonly number[] {
    return split(text).map((piece) => this.#ids.get(piece) ?? unknown);
  }

  decode(ids: readonly number[]): string {
    const texts = ids.map((id) => (id === unknown ? '\uFFFD' : (this.words[id - markers.length] ?? '')));
    return texts.join('');
  }

  piece(id: number): string {
    return markers[id] ?? this.words[id - markers.length] ?? `<${id}>`;
  }
}
