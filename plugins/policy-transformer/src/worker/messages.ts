import type { MessagePort } from 'node:worker_threads';

import type { EngineSettings } from './engine-core.js';
import type { CoreMethod } from './engine.js';

/** Messages to a core. */
export type ToCore =
  | { readonly kind: 'call'; readonly id: number; readonly method: CoreMethod; readonly args: readonly unknown[] }
  | { readonly kind: 'abort'; readonly id: number };

/** Messages from a core. */
export type FromCore =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: unknown }
  | { readonly kind: 'log'; readonly message: string }
  /** The core cannot start. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** Data with which the thread of a core starts. */
export interface CoreStart {
  readonly settings: EngineSettings;
  readonly port: MessagePort;
}

/** Asks the starter for the threads of an engine. */
export interface StartThreads {
  readonly settings: EngineSettings;
  /** One for each core. */
  readonly ports: readonly MessagePort[];
  /** For messages about these threads. Any message from the engine ends the threads. */
  readonly control: MessagePort;
}

/** Messages from the starter about the threads of an engine. */
export type FromStarter =
  | { readonly kind: 'log'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ended' };
