import type { OpenSandbox } from './episode-sandbox.js';
import type { InstanceHandle, WorldHandle } from './world-handle.js';

/** Instances of one world, reused from episode to episode. Results do not show which instance played an episode. */
export class EnvironmentPool {
  readonly #idle: InstanceHandle[] = [];
  readonly #all = new Set<InstanceHandle>();
  readonly #queue: (() => void)[] = [];
  /** Instances that exist or are being created. */
  #taken = 0;
  /** The most instances in concurrent use since the pool last shrank. */
  #peak = 0;
  #closed = false;

  constructor(
    readonly world: WorldHandle,
    /** The most instances at a time. */
    readonly limit: number,
    /** Opens the sandboxes of its episodes. */
    readonly openSandbox: OpenSandbox = () => Promise.reject(new Error('this pool opens no sandboxes')),
  ) {}

  /** An idle instance or a new one; waits if the limit is reached and all are in use. Throws the errors of `create`. */
  async acquire(): Promise<InstanceHandle> {
    while (this.#idle.length === 0 && this.#taken >= this.limit) {
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    const instance = this.#idle.pop() ?? (await this.#create());
    this.#peak = Math.max(this.#peak, this.#taken - this.#idle.length);
    return instance;
  }

  /** Returns an instance for the next episode. */
  release(instance: InstanceHandle): void {
    if (!this.#all.has(instance)) return;
    this.#idle.push(instance);
    this.#queue.shift()?.();
  }

  /** Returns an instance that broke or hangs: it is disposed of and never used again. */
  async discard(instance: InstanceHandle): Promise<void> {
    if (!this.#all.delete(instance)) return;
    await instance.dispose();
    this.#leave();
  }

  /** Disposes of the idle instances that the last collections did not need. */
  async shrink(): Promise<void> {
    const needed = this.#peak;
    this.#peak = 0;
    const spare = this.#idle.splice(0, Math.max(0, this.#all.size - needed));
    await Promise.all(spare.map((instance) => this.discard(instance)));
  }

  /** Disposes of every instance, in use or not, and closes the world. */
  async dispose(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#idle.length = 0;
    await Promise.all([...this.#all].map((instance) => this.discard(instance)));
    await this.world.close();
  }

  async #create(): Promise<InstanceHandle> {
    this.#taken += 1;
    try {
      const instance = await this.world.create();
      this.#all.add(instance);
      // The pool was closed before the instance was ready.
      if (this.#closed) await this.discard(instance);
      return instance;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #leave(): void {
    this.#taken -= 1;
    this.#queue.shift()?.();
  }
}
