/** Characters of the longest line that is kept. Frames and events are shorter. */
export const longestLine = 1 << 20;

/** Splits a text that arrives in parts into lines. A line that is longer than `longestLine` is dropped while it arrives. */
export class BoundedLines {
  #rest = '';
  #drops = false;

  /** The next part begins at the beginning of the text. */
  restart(): void {
    this.#rest = '';
    this.#drops = false;
  }

  /** The lines that end in this part, without their ends. */
  *read(part: string): Generator<string> {
    for (let at = 0; at < part.length;) {
      const end = part.indexOf('\n', at);
      this.#keep(part, at, end < 0 ? part.length : end);
      if (end < 0) return;
      const [line, dropped] = [this.#rest, this.#drops];
      this.restart();
      if (!dropped) yield line.endsWith('\r') ? line.slice(0, -1) : line;
      at = end + 1;
    }
  }

  #keep(part: string, from: number, to: number): void {
    if (this.#drops) return;
    this.#drops = this.#rest.length + to - from > longestLine;
    this.#rest = this.#drops ? '' : this.#rest + part.slice(from, to);
  }
}
