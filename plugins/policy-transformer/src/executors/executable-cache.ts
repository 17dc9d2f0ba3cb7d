import type { Executable, Executor, Program } from './executor.js';

/**
 * Compiled programs by key. The key must name everything that the program depends on. If there are more than
 * `capacity` programs, the least recently used one is disposed. Compiling it again gives the same program, so the cache
 * affects only speed.
 */
export class ExecutableCache {
  readonly #executor: Executor;
  readonly #capacity: number;
  readonly #entries = new Map<string, Executable>();

  constructor(executor: Executor, capacity: number) {
    this.#executor = executor;
    this.#capacity = capacity;
  }

  async get(key: string, build: () => Program): Promise<Executable> {
    const executable = this.#entries.get(key) ?? (await this.#executor.compile(build()));
    this.#entries.delete(key);
    this.#entries.set(key, executable);
    const [oldest] = this.#entries;
    if (oldest && this.#entries.size > this.#capacity) {
      this.#entries.delete(oldest[0]);
      await oldest[1].dispose();
    }
    return executable;
  }

  async dispose(): Promise<void> {
    const executables = [...this.#entries.values()];
    this.#entries.clear();
    for (const executable of executables) await executable.dispose();
  }
}
