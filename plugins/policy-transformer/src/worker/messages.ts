import type { MessagePort } from 'node:worker_threads';

import type { EngineSettings } from './engine-core.js';
import type { CoreMethod } from './engine.js';

/** Messages to a worker. */
export type ToWorker =
  | { readonly kind: 'call'; readonly id: number; readonly method: CoreMethod; readonly args: readonly unknown[] }
  | { readonly kind: 'abort'; readonly id: number };

/** Messages from a worker. */
export type FromWorker =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: unknown }
  | { readonly kind: 'log'; readonly message: string }
  /** The worker, or one that it started, cannot continue. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** Data with which a worker starts. */
export interface WorkerStart {
  readonly settings: EngineSettings;
  /** Ports of the workers that this one starts. Only the first worker starts any. */
  readonly siblings: readonly MessagePort[];
  /** The port on which it listens. The first worker uses its parent's port. */
  readonly port?: MessagePort;
}
