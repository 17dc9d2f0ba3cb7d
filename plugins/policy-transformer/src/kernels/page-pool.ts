import type { Kernels } from './kernels.js';

/** Pages that are reserved at a time. */
const AT_ONCE = 64;

/** Pages of the cache, given out one by one. */
export class PagePool {
  /** Most pages in use. One wave of requests may exceed it. */
  readonly limit: number;
  /** Pages that are in use. */
  taken = 0;
  readonly #kernels: Kernels;
  readonly #pageBytes: number;
  readonly #free: number[] = [];

  constructor(kernels: Kernels, pageBytes: number, cacheBytes: number) {
    this.#kernels = kernels;
    this.#pageBytes = pageBytes;
    this.limit = Math.max(1, Math.floor(cacheBytes / pageBytes));
  }

  /** The address of a page. Its content is arbitrary. */
  take(): number {
    if (this.#free.length === 0) {
      const first = this.#kernels.reserve(AT_ONCE * this.#pageBytes);
      for (let page = AT_ONCE - 1; page >= 0; page -= 1) this.#free.push(first + page * this.#pageBytes);
    }
    this.taken += 1;
    return this.#free.pop()!;
  }

  giveBack(pages: readonly number[]): void {
    this.taken -= pages.length;
    for (const page of pages) this.#free.push(page);
  }
}
