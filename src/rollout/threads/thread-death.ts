/** A world's thread ended during calls. */
export class ThreadDeath extends Error {
  override readonly name = 'ThreadDeath';

  constructor(
    /** The failure of the call that caused it. */
    readonly failure: Error,
    /** The instance whose call ended the thread; 0: the world itself; undefined: unknown. */
    readonly culprit: number | undefined,
  ) {
    super(failure.message);
  }
}
