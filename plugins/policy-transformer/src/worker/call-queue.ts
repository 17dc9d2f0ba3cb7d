/** Runs tasks one after the other, in the order in which they came. */
export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();

  add<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task, task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
