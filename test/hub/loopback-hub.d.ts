/** A failure of the servers for requests whose address matches. */
export interface Fault {
  readonly match: RegExp;
  /** How often it happens. */
  times: number;
  /** An answer with this status. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  /** `cut` and `stall` happen after `bytes`; `damage` changes the last byte; `no-ranges` sends the whole file. */
  readonly kind?: 'cut' | 'stall' | 'damage' | 'no-ranges';
  readonly bytes?: number;
}

export interface HubRequest {
  /** `store`: the server of large files. */
  readonly server: 'hub' | 'store';
  readonly method: string;
  readonly url: string;
  readonly authorization?: string;
  readonly range?: string;
}

export type Files = { readonly [path: string]: Buffer };

export interface LoopbackHub {
  readonly endpoint: string;
  readonly faults: Fault[];
  readonly requests: HubRequest[];
  /** Repositories that were created by a push. */
  readonly created: readonly { readonly id: string; readonly visibility?: string }[];
  readonly commits: readonly { readonly model: string; readonly files: { readonly [path: string]: Buffer } }[];
  readonly repositories: Map<string, { readonly commit: string }>;
  /** Publishes a model, or a new commit of it. With a token, only requests with it may read. */
  readonly add: (name: string, files: Files, about?: { readonly token?: string; readonly license?: string }) => void;
  readonly close: () => Promise<unknown>;
}

export function startHub(settings?: { readonly bytesPerSecond?: number }): Promise<LoopbackHub>;
