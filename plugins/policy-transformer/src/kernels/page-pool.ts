import type { Kernels } from './kernels.js';

/** Pages that are reserved at a time. */
const AT_ONCE = 64;

/** Pages of the cache, given out one by one. Several owners may share a page; it is free when the last gives it back. */
export class PagePool {
  readonly #kernels: Kernels;
  readonly #pageBytes: number;
  readonly #free: number[] = [];
  /** The number of owners of a page, by its address. */
  readonly #owners = new Map<number, number>();

  constructor(kernels: Kernels, pageBytes: number) {
    this.#kernels = kernels;
    this.#pageBytes = pageBytes;
  }

  /** The address of a page. Its content is arbitrary. */
  take(): number {
    if (this.#free.length === 0) {
      const first = this.#kernels.reserve(AT_ONCE * this.#pageBytes);
      for (let page = AT_ONCE - 1; page >= 0; page -= 1) this.#free.push(first + page * this.#pageBytes);
    }
    const page = this.#free.pop()!;
    this.#owners.set(page, 1);
    return page;
  }

  /** One more owner of each page. */
  share(pages: readonly number[]): void {
    for (const page of pages) this.#owners.set(page, this.#owners.get(page)! + 1);
  }

  /** The page itself if it has one owner. Otherwise gives it back and returns a copy. */
  own(page: number): number {
    if (this.#owners.get(page) === 1) return page;
    const copy = this.take();
    this.#kernels.copy(copy, page, this.#pageBytes);
    this.giveBack([page]);
    return copy;
  }

  giveBack(pages: readonly number[]): void {
    for (const page of pages) {
      const left = this.#owners.get(page)! - 1;
      this.#owners.set(page, left);
      if (left === 0) this.#free.push(page);
    }
  }
}
