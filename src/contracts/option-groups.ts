import type { FlatGroupOptions, GroupComparison, GroupNormalization, KlOptions, LossAggregation } from './credit.js';

/**
 * Options that algorithms share, by group: the names, and what code receives for each. Their declarations are data of
 * the host, so that an option of one name has one meaning, one range and one sentence wherever it stands.
 */
export interface OptionGroups {
  /** How returns are scaled that were compared within a group: `CreditTools.groupNormalized`. */
  readonly scaling: Pick<GroupNormalization, 'scaling' | 'deviationEpsilon' | 'noSignalBelow'>;
  /** What the members of a group are compared by: `CreditTools.groupMembers`. */
  readonly comparison: GroupComparison;
  /** What becomes of groups whose episodes say nothing: `CreditTools.dropsFlatGroups`. */
  readonly flatGroups: Pick<FlatGroupOptions, 'dropFlatGroups' | 'refillRounds'>;
  /** What a reward is worth earlier: `CreditTools.returnsToGo`. */
  readonly discounts: { readonly turnDiscount: number; readonly tokenDiscount: number };
  /** Whether the loss corrects for steps that are off the policy that sampled. */
  readonly importance: { readonly importance: 'none' | 'clipped' | 'uncorrected' };
  /** Bounds of the ratio to the sampling policy: `CreditTools.clippedObjective`. */
  readonly clip: { readonly clipLow: number; readonly clipHigh: number; readonly dualClip: number | null };
  /** How the policy is kept near the one that training began with: `CreditTools.klControl`. */
  readonly kl: KlOptions;
  /** A term of the loss. */
  readonly entropy: { readonly entropyCoefficient: number };
  /** How the losses of tokens become one number: `CreditTools.aggregationWeights`. */
  readonly aggregation: {
    readonly aggregation: LossAggregation;
    readonly constantLength: number | null;
    readonly countEmpty: boolean;
  };
}

/** What an algorithm says otherwise of an option of a group: what is absent stays as the group has it. */
export interface OptionChange<Value> {
  /** `null` makes "not set" a value. */
  readonly default?: Value | null;
  readonly description?: string;
  /** Fewer words, or in another order. */
  readonly choices?: readonly Value[];
}

/**
 * A group of options in the place of one; the host puts the group's options there. The key that it stands under is
 * for readers alone.
 */
export type OptionGroup = {
  readonly [Group in keyof OptionGroups]: {
    readonly group: Group;
    readonly change?: { readonly [Name in keyof OptionGroups[Group]]?: OptionChange<OptionGroups[Group][Name]> };
    /** Options of the group that the algorithm does not have. */
    readonly without?: readonly (keyof OptionGroups[Group])[];
  };
}[keyof OptionGroups];
