import type { ContributionKind } from '../contracts/plugin.js';
import type { CheckOutcome } from '../testing/conformance-kit.js';

/** What the process that runs a plugin is asked. All of it is JSON. */
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
      /** Seconds that a single check may wait. */
      readonly seconds: number;
      readonly only: readonly string[] | null;
      readonly skip: readonly string[];
    };

/** Messages about its work. */
export type CheckMessage =
  | { readonly type: 'started'; readonly id: string; readonly label?: string }
  | { readonly type: 'finished'; readonly outcome: CheckOutcome; readonly label?: string }
  | {
      readonly type: 'listed';
      readonly contributions: readonly { readonly kind: ContributionKind; readonly name: string }[];
    }
  | { readonly type: 'speed'; readonly stepsPerSecond: number }
  /** Done; what still holds the process open is named. */
  | { readonly type: 'done'; readonly open: readonly string[] };
