/** A far end of a world ended during calls. */
export class EndDeath extends Error {
  override readonly name = 'EndDeath';

  constructor(
    /** The failure of the call that caused it. */
    readonly failure: Error,
    /** The instance whose call ended it; 0: the world itself; undefined: unknown. */
    readonly culprit: number | undefined,
  ) {
    super(failure.message);
  }
}
