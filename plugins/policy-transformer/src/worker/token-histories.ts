/** The known tokens of a sequence. A new history replaces it when the sequence continues. */
export interface History {
  /** All given and sampled tokens. */
  readonly tokens: readonly number[];
  /** How many of the first tokens are unchanged since a request was last answered. */
  readonly settled: number;
}

/**
 * Tokens of sequences by name, equal in two threads, so that a request contains only tokens that are new to the other
 * thread. The content depends only on the order of the requests, and not on when or how they end.
 */
export class TokenHistories {
  readonly #histories = new Map<string, { readonly tokens: number[]; settled: number }>();

  current(name: string): History | undefined {
    return this.#histories.get(name);
  }

  /** How many of the first tokens are already remembered under the name. */
  common(name: string, tokens: readonly number[]): number {
    const known = this.#histories.get(name)?.tokens ?? [];
    const most = Math.min(known.length, tokens.length);
    let count = 0;
    while (count < most && known[count] === tokens[count]) count += 1;
    return count;
  }

  /** Replaces all tokens after the first `kept` by `fresh`. Throws if fewer are remembered. */
  continue(name: string, kept: number, fresh: Iterable<number>): History {
    const { tokens, settled } = this.#histories.get(name) ?? { tokens: [], settled: 0 };
    if (kept > tokens.length) throw new Error(`${tokens.length} tokens of ${name} are known, but not ${kept}`);
    tokens.length = kept;
    for (const token of fresh) tokens.push(token);
    const history = { tokens, settled: Math.min(settled, kept) };
    this.#histories.set(name, history);
    return history;
  }

  /** Adds the sampled tokens of an answered request, unless the sequence has continued since. */
  settle(name: string, history: History | undefined, sampled: readonly number[]): void {
    const known = this.#histories.get(name);
    if (known === undefined || known !== history) return;
    for (const token of sampled) known.tokens.push(token);
    known.settled = known.tokens.length;
  }

  /** Forgets a sequence whose request was not answered, unless it has continued since. */
  abandon(name: string, history: History | undefined): void {
    if (this.#histories.get(name) === history) this.#histories.delete(name);
  }

  forget(names: Iterable<string>): void {
    for (const name of names) this.#histories.delete(name);
  }
}
