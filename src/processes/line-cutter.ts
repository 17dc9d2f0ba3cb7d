/** Cuts text that comes in pieces into lines, and keeps no more of a line than it may have. */
export class LineCutter {
  readonly #most: number;
  readonly #hear: { readonly line: (line: string) => void; readonly tooLong: () => void };
  /** Pieces of a line whose end has not come yet, and their length. */
  #pieces: string[] = [];
  #length = 0;

  /** @param most UTF-16 code units of a line */
  constructor(most: number, hear: { readonly line: (line: string) => void; readonly tooLong: () => void }) {
    this.#most = most;
    this.#hear = hear;
  }

  read(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.#keep(first);
    for (const next of others) {
      const line = this.#pieces.length === 1 ? (this.#pieces[0] as string) : this.#pieces.join('');
      this.#forget();
      this.#hear.line(line);
      this.#keep(next);
    }
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length <= this.#most) return;
    this.#forget();
    this.#hear.tooLong();
  }

  #forget(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}
