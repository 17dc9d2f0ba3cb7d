/** Places in the memory that the main thread and its watchdog share, 32-bit integers each. */
export const slots = {
  /** The number of the running call, 0 without a call. */
  call: 0,
  /** Grows with every call that ends. */
  calls: 1,
  /** Grows with every turn of the event loop that a timer sees. */
  beats: 2,
  count: 3,
} as const;

/** The start data of the watchdog. */
export interface WatchdogStart {
  readonly shared: SharedArrayBuffer;
  /** Seconds without a sign of life after which it warns. */
  readonly seconds: number;
  /** Name of the global of the main thread that holds its `MainThreadHooks`. */
  readonly hooks: string;
  /** Text after the sentence about the call, if Ctrl-C works from then on, and if it does not. */
  readonly released: string;
  readonly stuck: string;
}

/** Sent to the watchdog before a call starts. */
export interface WatchedCall {
  /** 0: code outside of any call. */
  readonly id: number;
  readonly sentence: string;
  /** Seconds after which `MainThreadHooks.giveUp` is called, if ever. */
  readonly limitSeconds?: number;
}

/** Functions of the main thread that the watchdog calls there, in the middle of the running code. */
export interface MainThreadHooks {
  releaseSignals(): void;
  giveUp(id: number, place: string | null): void;
}
