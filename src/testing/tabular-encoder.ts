import type { ConversationEncoder } from '../contracts/policy.js';
import type { JsonObject } from '../contracts/json.js';

/** What a piece of text is: a word or number with the space before it, or a single character. */
export type PieceLevel = 'word' | 'character';

const markers = ['<unknown>', '<system>', '<observation>', '<action>', '<end>'] as const;
const [unknown, system, observation, action, end] = [0, 1, 2, 3, 4];

/** Pieces whose concatenation is the text. */
function piecesOf(text: string, level: PieceLevel): readonly string[] {
  if (level === 'character') return [...text];
  return text.match(/ ?[\p{L}\p{M}\p{N}_]+| ?[^\s\p{L}\p{M}\p{N}_]|\s/gu) ?? [];
}

/**
 * The simplest encoder that satisfies the contract: a vocabulary of words or characters after five markers. Text never
 * encodes to a marker except `<unknown>`, so an observation that spells `<end>` cannot forge an end. An episode reads
 * `<system> ... <observation> ... <action> ... <end> <observation> ... <action> ... <end>`.
 */
export class TabularEncoder implements ConversationEncoder {
  readonly endIds = [end];
  readonly #ids: ReadonlyMap<string, number>;

  /** @param pieces distinct pieces of text; the id of the first is the number of markers, 5 */
  constructor(
    readonly level: PieceLevel,
    readonly pieces: readonly string[],
  ) {
    this.#ids = new Map(pieces.map((piece, index) => [piece, markers.length + index]));
  }

  /**
   * An encoder that knows every piece of these texts, in the order of their code units. Words are also known without
   * the space before them, because an action may start with any word.
   */
  static fromTexts(level: PieceLevel, texts: Iterable<string>): TabularEncoder {
    const pieces = new Set<string>();
    for (const text of texts) {
      for (const piece of piecesOf(text, level)) pieces.add(piece).add(piece.length > 1 ? piece.trimStart() : piece);
    }
    return new TabularEncoder(level, [...pieces].sort());
  }

  static fromJson(json: JsonObject): TabularEncoder {
    return new TabularEncoder(json['level'] as PieceLevel, json['pieces'] as readonly string[]);
  }

  toJson(): JsonObject {
    return { level: this.level, pieces: this.pieces };
  }

  get vocabularySize(): number {
    return markers.length + this.pieces.length;
  }

  begin(systemText: string, observationText: string): readonly number[] {
    const start = systemText === '' ? [] : [system, ...this.#encode(systemText)];
    return [...start, ...this.append(observationText)];
  }

  append(observationText: string): readonly number[] {
    return [observation, ...this.#encode(observationText), action];
  }

  encodeAction(text: string): readonly number[] {
    return this.#encode(text);
  }

  decode(ids: readonly number[]): string {
    return ids
      .map((id) => {
        if (id === unknown) return '\uFFFD';
        return id < markers.length ? '' : (this.pieces[id - markers.length] ?? '');
      })
      .join('');
  }

  piece(id: number): string {
    return markers[id] ?? this.pieces[id - markers.length] ?? `<${id}>`;
  }

  #encode(text: string): number[] {
    return piecesOf(text, this.level).map((piece) => this.#ids.get(piece) ?? unknown);
  }
}
