/** A world's thread has ended while calls were under way. */
export class ThreadDeath extends Error {
  override readonly name = 'ThreadDeath';

  constructor(
    /** The consequence, as the failure of the call that caused it. */
    readonly failure: Error,
    /** The instance whose call ended it; 0: the world itself; undefined: nobody knows. */
    readonly culprit: number | undefined,
  ) {
    super(failure.message);
  }
}
