import type { MessagePort } from 'node:worker_threads';

import type { EngineSettings } from './engine-core.js';
import type { CoreMethod } from './engine.js';

/** To a worker. */
export type ToWorker =
  | { readonly kind: 'call'; readonly id: number; readonly method: CoreMethod; readonly args: readonly unknown[] }
  | { readonly kind: 'abort'; readonly id: number };

/** From a worker. */
export type FromWorker =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: unknown }
  | { readonly kind: 'log'; readonly message: string }
  /** The worker, or one that it started, cannot go on. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** What a worker is started with. */
export interface WorkerStart {
  readonly settings: EngineSettings;
  /** Ports of the workers that this one starts; the first worker alone has any. */
  readonly siblings: readonly MessagePort[];
  /** Where it listens; the first worker listens on its parent's port. */
  readonly port?: MessagePort;
}
