import type { EngineCore } from './engine-core.js';

/** Methods of a core that other threads can call. */
export type CoreMethod =
  | 'facts'
  | 'peak'
  | 'setFrozen'
  | 'setParameters'
  | 'openAdapter'
  | 'closeAdapter'
  | 'generate'
  | 'accumulate'
  | 'rehearse'
  | 'evaluate'
  | 'freeze'
  | 'unfreeze'
  | 'takeGradient'
  | 'startStage'
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
   * Batches, requests, gradients of `step` and arrays of `setFrozen` are moved, not copied: the caller must not use them
   * again.
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

/** Arrays of a call that need not be copied to another thread, because the caller does not use them again. */
export function movedArguments(method: CoreMethod, args: readonly unknown[]): ArrayBuffer[] {
  const [first] = args;
  if (method === 'setFrozen') return buffersOf([first]);
  if (method === 'step') return buffersOf(first as readonly unknown[]);
  const takes = ['accumulate', 'rehearse', 'evaluate', 'generate'].includes(method);
  return takes ? buffersOf(Object.values(first as object)) : [];
}

/** Arrays of a result that need not be copied to another thread, because the core made them for it. */
export function movedResults(method: CoreMethod, result: unknown): ArrayBuffer[] {
  if (method === 'takeGradient' || method === 'read') return buffersOf([result]);
  if (method === 'step') return buffersOf([(result as CoreResult<'step'>).parameters]);
  const gives = method === 'accumulate' || method === 'evaluate' || method === 'generate';
  return gives ? buffersOf(Object.values(result as object)) : [];
}

function buffersOf(arrays: readonly unknown[]): ArrayBuffer[] {
  return arrays.flatMap((array) => (ArrayBuffer.isView(array) ? [array.buffer as ArrayBuffer] : []));
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
