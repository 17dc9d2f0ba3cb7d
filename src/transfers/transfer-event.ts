/** A file that is transferred. */
export interface TransferredFile {
  readonly name: string;
  readonly bytes: number;
}

/** What happens during a transfer. Files come in the order of `planned`. */
export type TransferEvent =
  | { readonly type: 'planned'; readonly files: readonly TransferredFile[] }
  /** `done` counts all bytes of the file that are there, also those of an earlier attempt. */
  | { readonly type: 'progress'; readonly name: string; readonly done: number }
  /** `present`: it was there before. */
  | { readonly type: 'finished'; readonly name: string; readonly outcome: 'transferred' | 'present' };
