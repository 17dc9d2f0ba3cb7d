/** Splits a text that arrives in parts into lines. A line that is too long is dropped while it arrives. */
export class BoundedLines {
  #rest = '';
  #drops = false;

  /**
   * @param longest characters of the longest line that is kept
   * @param onTooLong called once for each line that is dropped
   */
  constructor(
    private readonly longest: number,
    private readonly onTooLong: () => void = () => undefined,
  ) {}

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
    this.#drops = this.#rest.length + to - from > this.longest;
    this.#rest = this.#drops ? '' : this.#rest + part.slice(from, to);
    if (this.#drops) this.onTooLong();
  }
}
