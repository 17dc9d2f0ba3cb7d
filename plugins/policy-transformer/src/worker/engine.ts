import type { EngineCore } from './engine-core.js';

/** Methods of a core that other threads can call. */
export type CoreMethod =
  | 'facts'
  | 'setFrozen'
  | 'setParameters'
  | 'generate'
  | 'accumulate'
  | 'evaluate'
  | 'freeze'
  | 'unfreeze'
  | 'takeGradient'
  | 'resetOptimizer'
  | 'step'
  | 'read'
  | 'optimizerState'
  | 'writeMoment'
  | 'restoreSteps';

export type CoreArguments<Method extends CoreMethod> = Parameters<EngineCore[Method]>;
export type CoreResult<Method extends CoreMethod> = Awaited<ReturnType<EngineCore[Method]>>;

/** Some cores. Each answers one call at a time, in the order of the calls. */
export interface Engine {
  /** Number of cores. */
  readonly cores: number;
  /**
   * The array of `setFrozen` is moved, not copied: the caller must not use it again.
   * @param signal for `generate`, whose last argument it replaces: a signal cannot be sent to another thread
   */
  call<Method extends CoreMethod>(
    core: number,
    method: Method,
    args: CoreArguments<Method>,
    signal?: AbortSignal,
  ): Promise<CoreResult<Method>>;
  /** Ends the cores. Calls in progress fail. */
  dispose(): Promise<void>;
}

/** Runs a call on a core of this thread. */
export function callCore<Method extends CoreMethod>(
  core: EngineCore,
  method: Method,
  args: CoreArguments<Method>,
  signal?: AbortSignal,
): Promise<CoreResult<Method>> {
  const all: unknown[] = method === 'generate' ? [...args.slice(0, 2), signal] : [...args];
  const run = core[method] as (...args: readonly unknown[]) => CoreResult<Method> | Promise<CoreResult<Method>>;
  return Promise.resolve(run.apply(core, all));
}
