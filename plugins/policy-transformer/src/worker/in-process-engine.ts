import { CallQueue } from './call-queue.js';
import { EngineCore, type EngineSettings } from './engine-core.js';
import { callCore, type CoreArguments, type CoreMethod, type CoreResult, type Engine } from './engine.js';

/** Cores on the calling thread, for tests and for systems without worker threads. Every run blocks the thread. */
export class InProcessEngine implements Engine {
  readonly #cores: readonly EngineCore[];
  readonly #queue = new CallQueue();

  private constructor(cores: readonly EngineCore[]) {
    this.#cores = cores;
  }

  static async create(
    settings: EngineSettings,
    count: number,
    log: (message: string) => void,
  ): Promise<InProcessEngine> {
    const cores: EngineCore[] = [];
    for (let index = 0; index < count; index += 1) cores.push(await EngineCore.create(settings, log));
    return new InProcessEngine(cores);
  }

  get cores(): number {
    return this.#cores.length;
  }

  call<Method extends CoreMethod>(
    core: number,
    method: Method,
    args: CoreArguments<Method>,
    signal?: AbortSignal,
  ): Promise<CoreResult<Method>> {
    return this.#queue.add(() => callCore(this.#cores[core]!, method, args, signal));
  }

  async dispose(): Promise<void> {
    for (const core of this.#cores) await core.dispose();
  }
}
