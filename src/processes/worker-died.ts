/** How a thread ended: `exited` by `process.exit`, or because nothing was left to do; `terminated` by its owner. */
export type WorkerEnding = 'exited' | 'threw' | 'out of memory' | 'terminated';

const words: { readonly [ending in WorkerEnding]: string } = {
  exited: 'ended by itself',
  threw: 'ended by an error that nobody caught',
  'out of memory': 'ran out of memory',
  terminated: 'was ended',
};

/** A call is lost, since its thread ended. */
export class WorkerDied extends Error {
  override readonly name = 'WorkerDied';

  /**
   * @param code the code that the thread ended with
   * @param begun whether the call's handler had been called
   * @param running whether its code was what ran when the thread ended: what a loop is blamed by
   */
  constructor(
    readonly ending: WorkerEnding,
    readonly code: number | undefined,
    readonly begun: boolean,
    readonly running: boolean,
    cause: Error | undefined,
  ) {
    const why = cause === undefined ? (ending === 'exited' ? ` with code ${code}` : '') : `: ${cause.message}`;
    super(`the thread ${words[ending]}${why}`, cause === undefined ? undefined : { cause });
  }
}
