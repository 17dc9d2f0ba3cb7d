import type { EncoderSource } from '../../contracts/policy.js';
import type { KeptPrompt } from '../../runs/kept-prompt.js';
import type { Encoded, encodings, ReadingModel } from './encode-request.js';
import type { RequestErrorDetails } from './request-error.js';

export type RequestKind = keyof typeof encodings;

/** The policy whose module opens encoders: data of its thread. */
export interface ReaderData {
  /** The plugin's module. */
  readonly entry: string;
  readonly policy: string;
}

/** A body to be read. */
export interface ReaderJob {
  readonly kind: RequestKind;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** See `EncodeOptions`. */
  readonly milliseconds?: number | undefined;
  /** The models of the server, the first one for requests without a name. */
  readonly models: readonly (Omit<ReadingModel, 'encoder' | 'prompt'> & {
    readonly source?: EncoderSource | undefined;
    readonly prompt?: KeptPrompt | undefined;
  })[];
}

/** What a thread tells: it has opened the encoder, or how the reading ended. */
export type FromReader =
  | { readonly begins: true }
  | { readonly encoded: Encoded }
  | { readonly refused: { readonly status: number; readonly message: string; readonly details: RequestErrorDetails } };
