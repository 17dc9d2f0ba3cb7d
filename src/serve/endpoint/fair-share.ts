/**
 * Places that clients share. While there are free ones, a client may take as many as it wants. When all are taken, a client may
 * still take up to its share, so that one client with many does not keep the others out. Then at most twice as many are taken.
 */
export class FairShare {
  readonly #most: number;
  readonly #taken = new Map<unknown, number>();
  #all = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes places for a client. Returns false, and takes none, if there is no room. */
  take(client: unknown, count: number): boolean {
    const own = this.#taken.get(client) ?? 0;
    const clients = this.#taken.size + Number(!this.#taken.has(client));
    const share = Math.max(1, Math.floor(this.#most / clients));
    if (this.#all + count > this.#most && own + count > share) return false;
    this.add(client, count);
    return true;
  }

  giveBack(client: unknown, count: number): void {
    this.add(client, -count);
  }

  /** Takes places whether there is room or not. */
  add(client: unknown, count: number): void {
    const own = (this.#taken.get(client) ?? 0) + count;
    this.#all += count;
    if (own === 0) this.#taken.delete(client);
    else this.#taken.set(client, own);
  }
}
