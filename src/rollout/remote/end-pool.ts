import { AgentgymError } from '../../errors/agentgym-error.js';
import { withinDeadline } from '../../errors/within-deadline.js';
import { EndDeath } from './end-death.js';
import type { EndMethod, WorldEnd } from './world-end.js';

/** A far end, and what its world said of itself. */
export interface OpenEnd<End extends WorldEnd, Description> {
  readonly end: End;
  readonly description: Description;
}

export interface EndPoolSettings<End extends WorldEnd> {
  /** The world's name for messages. */
  readonly title: string;
  /** Number of ends. */
  readonly size: number;
  /** Starts an end. The values are those of its call `open`. */
  readonly start: () => Promise<End>;
  readonly openWith: readonly unknown[];
  /** Longest time of `close`. */
  readonly closeMilliseconds: number;
  /** Aborts every call. */
  readonly signal: AbortSignal;
}

/** The world is given up if more ends than this die in a row for unknown reasons. */
const mostUnexplained = 3;

/** The far ends of one world: the first is opened at once, the others when instances need them. A dead one is replaced. */
export class EndPool<End extends WorldEnd, Description> {
  readonly #settings: EndPoolSettings<End>;
  readonly #ends: (Promise<OpenEnd<End, Description>> | undefined)[];
  readonly #all = new Set<End>();
  #unexplained = 0;
  #closed = false;
  readonly #abort = (): void => this.#all.forEach((end) => end.abort());

  constructor(settings: EndPoolSettings<End>) {
    this.#settings = settings;
    this.#ends = Array.from({ length: settings.size }, () => undefined);
    settings.signal.addEventListener('abort', this.#abort, { once: true });
  }

  get title(): string {
    return this.#settings.title;
  }

  /** Every end so far, also dead ones. */
  get all(): ReadonlySet<End> {
    return this.#all;
  }

  /** Whether nothing is played any more. */
  get over(): boolean {
    return this.#closed || this.#settings.signal.aborted;
  }

  /** What the world says of itself. If opening fails, every end is ended, and the failure is thrown. */
  async describe(): Promise<Description> {
    try {
      return (await this.get(0)).description;
    } catch (error) {
      await this.close();
      throw error instanceof EndDeath ? error.failure : error;
    }
  }

  /** The end at a place; opens it if necessary. */
  get(place: number): Promise<OpenEnd<End, Description>> {
    const there = this.#ends[place];
    if (there !== undefined) return there;
    const opening = this.#open();
    this.#ends[place] = opening;
    // If opening failed, the next caller tries again.
    opening.catch(() => (this.#ends[place] = undefined));
    return opening;
  }

  /** The end with the fewest instances. */
  async emptiest(): Promise<End> {
    const loads = await Promise.all(this.#ends.map(async (end) => (await end)?.end.instances ?? 0));
    const { end } = await this.get(loads.indexOf(Math.min(...loads)));
    return end;
  }

  /** Asks the first end about the world. If the question ends it, that failure is thrown. */
  async ask<T>(method: EndMethod, ...values: readonly unknown[]): Promise<T> {
    for (;;) {
      const { end } = await this.get(0);
      try {
        return await end.call<T>(method, 0, ...values);
      } catch (error) {
        if (!(error instanceof EndDeath)) throw error;
        await this.replace(end);
        if (error.culprit === 0 || this.over) throw error.failure;
      }
    }
  }

  /** Makes room for a replacement of a dead end. Throws AG_PLUGIN_FAILED if too many died for unknown reasons. */
  async replace(dead: WorldEnd): Promise<void> {
    for (const [place, end] of this.#ends.entries()) {
      const opened = await end?.catch(() => undefined);
      if (opened?.end !== dead || this.#ends[place] !== end) continue;
      this.#ends[place] = undefined;
      this.#unexplained = dead.death?.culprit === undefined ? this.#unexplained + 1 : 0;
    }
    if (this.#unexplained <= mostUnexplained) return;
    throw new AgentgymError('AG_PLUGIN_FAILED', {
      message: `${this.title}: ${dead.death?.message}, outside of a call, ${this.#unexplained} times in a row.`,
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#settings.signal.removeEventListener('abort', this.#abort);
    await Promise.all(
      [...this.#all].map(async (end) => {
        // An end that does not close in time is ended anyway.
        const closing = () => (end.death === undefined ? end.call('close', 0) : undefined);
        await withinDeadline('close', this.#settings.closeMilliseconds, closing).catch(() => undefined);
        await end.end();
      }),
    );
  }

  async #open(): Promise<OpenEnd<End, Description>> {
    const end = await this.#settings.start();
    this.#all.add(end);
    if (this.#settings.signal.aborted) end.abort();
    const description = await end.call<Description>('open', 0, ...this.#settings.openWith);
    if (this.#closed) await end.end();
    return { end, description };
  }
}
