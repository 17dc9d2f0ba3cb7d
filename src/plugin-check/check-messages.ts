import type { ContributionKind } from '../contracts/plugin.js';
import type { CheckOutcome } from '../testing/conformance-kit.js';

/** A request to the process that runs a plugin, as JSON. */
export type CheckRequest =
  | {
      readonly job: 'entry';
      readonly entry: string;
      readonly only: readonly string[] | null;
      readonly skip: readonly string[];
    }
  | {
      readonly job: 'contribution';
      readonly entry: string;
      readonly kind: ContributionKind;
      readonly name: string;
      readonly seed: number;
      readonly thorough: boolean;
      /** Maximum seconds of one check. */
      readonly seconds: number;
      readonly only: readonly string[] | null;
      readonly skip: readonly string[];
    };

/** A message of this process about its work. */
export type CheckMessage =
  | { readonly type: 'started'; readonly id: string; readonly label?: string }
  | { readonly type: 'finished'; readonly outcome: CheckOutcome; readonly label?: string }
  | {
      readonly type: 'listed';
      readonly contributions: readonly { readonly kind: ContributionKind; readonly name: string }[];
    }
  | { readonly type: 'speed'; readonly stepsPerSecond: number }
  /** The work is done. `open` lists the resources that still keep the process alive. */
  | { readonly type: 'done'; readonly open: readonly string[] };
