import { messageOf } from '../errors/message-of.js';
import { TrackingFailure } from './mlflow-client.js';
import { pause, sendPatiently, waitAfter } from './send-patiently.js';
import type { Tracked } from './tracked-run.js';

export interface LiveTrackingOptions {
  /** Hears of trouble: once during the work, and at the end of what could not be sent. */
  readonly warn: (message: string) => void;
  /** The command that sends the rest later. */
  readonly later: string;
  /** Seconds between two looks at the files; default: 2. */
  readonly everySeconds?: number;
  /** Longest time that `finish` takes; default: 30. */
  readonly deadlineSeconds?: number;
}

/**
 * Keeps a copy on a tracker up to date while the original is written. It works beside the training and in its own time,
 * one request after the other: what waits, waits in the files. No failure of a server reaches the training.
 */
export class LiveTracking {
  readonly #subject: Tracked;
  readonly #options: LiveTrackingOptions;
  readonly #ending = new AbortController();
  /** Aborts the request under way. */
  readonly #deadline = new AbortController();
  /** The reason of its last failure, if there was one. */
  readonly #loop: Promise<string | undefined>;

  constructor(subject: Tracked, options: LiveTrackingOptions) {
    this.#subject = subject;
    this.#options = options;
    this.#loop = this.#follow();
  }

  /**
   * Sends the rest. The original must be complete.
   *
   * @param signal stops the attempts before the deadline
   * @returns whether everything was sent
   */
  async finish(signal?: AbortSignal): Promise<boolean> {
    const { deadlineSeconds = 30, later, warn } = this.#options;
    const stop = () => this.#deadline.abort();
    const timer = setTimeout(stop, 1000 * deadlineSeconds);
    signal?.addEventListener('abort', stop, { once: true });
    this.#ending.abort();
    try {
      const failure = await this.#loop;
      if (this.#deadline.signal.aborted) throw new TrackingFailure(failure ?? 'no time was left');
      await sendPatiently(this.#subject, this.#deadline.signal);
      return true;
    } catch (error) {
      warn(`Not everything could be sent: ${messageOf(error)}. \`${later}\` sends the rest.`);
      return false;
    } finally {
      for (const refusal of this.#subject.sent.refusals) warn(`${refusal}.`);
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  async #follow(): Promise<string | undefined> {
    const { everySeconds = 2, later, warn } = this.#options;
    let last: string | undefined;
    for (let failures = 0; !this.#ending.signal.aborted;) {
      try {
        await this.#subject.send(this.#deadline.signal);
        failures = 0;
        await pause(everySeconds, this.#ending.signal);
      } catch (error) {
        failures += 1;
        const isFirst = last === undefined;
        last = messageOf(error);
        if (isFirst && !this.#ending.signal.aborted) {
          warn(
            `Tracking is waiting: ${last}. The work continues, and the rest is sent when the server works again; \`${later}\` sends it later.`,
          );
        }
        await pause(waitAfter(error, failures), this.#ending.signal);
      }
    }
    return last;
  }
}
