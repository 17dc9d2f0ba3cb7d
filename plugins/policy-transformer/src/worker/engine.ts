import type { EngineCore } from './engine-core.js';

/** What can be asked of a core, from wherever it is. */
export type CoreMethod =
  | 'facts'
  | 'setParameters'
  | 'parameters'
  | 'generate'
  | 'accumulate'
  | 'evaluate'
  | 'freeze'
  | 'unfreeze'
  | 'takeGradient'
  | 'resetOptimizer'
  | 'step'
  | 'optimizerState'
  | 'restoreOptimizer';

export type CoreArguments<Method extends CoreMethod> = Parameters<EngineCore[Method]>;
export type CoreResult<Method extends CoreMethod> = Awaited<ReturnType<EngineCore[Method]>>;

/** Some cores that answer one call at a time each, in the order in which they were asked. */
export interface Engine {
  /** How many cores there are. */
  readonly cores: number;
  /** @param signal for `generate`, whose last argument it replaces: a signal does not cross to another thread */
  call<Method extends CoreMethod>(
    core: number,
    method: Method,
    args: CoreArguments<Method>,
    signal?: AbortSignal,
  ): Promise<CoreResult<Method>>;
  /** Ends them; calls under way fail. */
  dispose(): Promise<void>;
}

/** Runs a call on a core that is here. */
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
