import type { ConversationEncoder } from '../../contracts/policy.js';

/** What a half-read character is decoded to. */
const HALF = '\uFFFD';
/** Most of them for one character. */
const HALVES = 3;

/** Ids that are decoded again with each part; at twice as many, the first ones are left out. */
const WINDOW = 256;

/**
 * The text of ids that come bit by bit, up to a stop text. Of a long text only the last ids are decoded with each part, so it takes
 * as long for each token as a short one.
 */
export class GrowingText {
  readonly #encoder: Pick<ConversationEncoder, 'decode'>;
  readonly #stops: readonly string[];
  readonly #longestStop: number;
  readonly #certainLength: (text: string) => number;
  #window: number[] = [];
  /** The text up to the end of the ids with which the window begins, and the length of their own. */
  #before = '';
  #overlap = 0;
  #text = '';
  #shown = 0;
  #isStopped = false;

  /** @param certainLength the length of the part of a text that is shown at once, such as that without calls; default: all */
  constructor(
    encoder: Pick<ConversationEncoder, 'decode'>,
    stops: readonly string[],
    certainLength: (text: string) => number = (text) => text.length,
  ) {
    this.#encoder = encoder;
    this.#certainLength = certainLength;
    this.#stops = stops.filter((stop) => stop !== '');
    this.#longestStop = Math.max(0, ...this.#stops.map((stop) => stop.length));
  }

  /** A stop text was written. It and what follows are not part of the text. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  add(ids: readonly number[]): void {
    if (this.#isStopped) return;
    this.#window.push(...ids);
    const text = this.#before + this.#encoder.decode(this.#window).slice(this.#overlap);
    // A stop text that ends in what was there would have been found. The last characters may have been halves.
    const from = Math.max(0, this.#text.length - this.#longestStop - HALVES);
    const ends = this.#stops.map((stop) => text.indexOf(stop, from)).filter((place) => place >= 0);
    this.#isStopped = ends.length > 0;
    this.#text = this.#isStopped ? text.slice(0, Math.min(...ends)) : text;
    if (this.#window.length < 2 * WINDOW || text.endsWith(HALF)) return;
    this.#window = this.#window.slice(-WINDOW);
    this.#before = text;
    this.#overlap = this.#encoder.decode(this.#window).length;
  }

  /**
   * The text that was not shown yet. What may still change is held back: a character of which bytes are missing, and the
   * beginning of a stop text.
   *
   * @param isWhole no more ids will come
   * @param length of the text that is shown in the end; default: all
   */
  takeNew(isWhole: boolean, length = this.#text.length): string {
    const end = isWhole ? length : Math.min(this.#certain(), this.#certainLength(this.#text));
    const fresh = this.#text.slice(this.#shown, Math.max(this.#shown, end));
    this.#shown += fresh.length;
    return fresh;
  }

  #certain(): number {
    if (this.#isStopped) return this.#text.length;
    let end = this.#text.length;
    while (end > 0 && this.#text[end - 1] === HALF) end -= 1;
    for (let length = Math.min(this.#longestStop - 1, end); length > 0; length -= 1) {
      const tail = this.#text.slice(end - length, end);
      if (this.#stops.some((stop) => stop.startsWith(tail))) return end - length;
    }
    return end;
  }
}
