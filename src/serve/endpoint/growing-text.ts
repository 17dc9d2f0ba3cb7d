import type { ConversationEncoder } from '../../contracts/policy.js';

/** What a half-read character is decoded to. */
const HALF = '\uFFFD';

/** The text of ids that come bit by bit, up to a stop text. */
export class GrowingText {
  readonly #encoder: Pick<ConversationEncoder, 'decode'>;
  readonly #stops: readonly string[];
  readonly #certainLength: (text: string) => number;
  readonly #ids: number[] = [];
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
    this.#ids.push(...ids);
    const text = this.#encoder.decode(this.#ids);
    const ends = this.#stops.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
    this.#isStopped = ends.length > 0;
    this.#text = this.#isStopped ? text.slice(0, Math.min(...ends)) : text;
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
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, end); length > 0; length -= 1) {
      const tail = this.#text.slice(end - length, end);
      if (this.#stops.some((stop) => stop.startsWith(tail))) return end - length;
    }
    return end;
  }
}
