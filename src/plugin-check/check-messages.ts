import type { ContributionKind } from '../contracts/plugin.js';
import type { CheckOutcome } from '../testing/conformance-kit.js';

/** A contribution by its names. */
export interface ContributionId {
  readonly kind: ContributionKind;
  readonly name: string;
}

/** A request to the process that runs a plugin, as JSON. */
export interface CheckRequest {
  /** URL of the plugin's entry. */
  readonly entry: string;
  /** The contribution to check; null: only the entry. */
  readonly contribution: ContributionId | null;
  readonly seed: number;
  readonly thorough: boolean;
  /** Maximum seconds of one check. */
  readonly seconds: number;
  /** Ids of the only checks to run; null: all. */
  readonly only: readonly string[] | null;
  readonly skip: readonly string[];
}

/** A message of this process about its work. The label names options that are not the defaults. */
export type CheckMessage =
  | { readonly type: 'started'; readonly id: string; readonly label?: string | undefined }
  | { readonly type: 'finished'; readonly outcome: CheckOutcome; readonly label?: string | undefined }
  /** The work is done. `contributions` are those of the entry, `open` the resources that still keep the process alive. */
  | { readonly type: 'done'; readonly open: readonly string[]; readonly contributions: readonly ContributionId[] };
