/** Texts in one buffer: millions of them in little memory. */
export class TextList {
  #buffer = Buffer.alloc(2 ** 16);
  readonly ends: number[] = [];

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.ends.at(-1) ?? 0);
  }

  add(text: string): void {
    const start = this.ends.at(-1) ?? 0;
    // A UTF-16 unit takes at most three bytes.
    if (start + 3 * text.length > this.#buffer.length) {
      this.#buffer = Buffer.concat([this.#buffer], 2 * (start + 3 * text.length));
    }
    this.ends.push(start + this.#buffer.write(text, start));
  }

  at(index: number): string {
    return this.#buffer.toString('utf8', this.ends[index - 1] ?? 0, this.ends[index]);
  }
}
