import type { RunPlan } from '../config/run-plan.js';
import type { Json } from '../contracts/json.js';
import type { Measured } from './measured.js';

/**
 * `problem`: training cannot reach its goal; `advice`: another setting is probably better; `hint`: worth considering.
 */
export type Severity = 'problem' | 'advice' | 'hint';

/** The source of a rule's figures: the Guide's paper, our figures, or both. */
export type Basis = 'paper' | 'ours' | 'both';

/** An experiment along a named axis that would test a finding. */
export interface Trial {
  readonly axis: string;
  readonly values?: readonly Json[];
}

/** The result of a rule for a subject. */
export type Judgement =
  | {
      readonly verdict: 'finding';
      readonly severity: Severity;
      /** One sentence. */
      readonly finding: string;
      /** The numbers, and the data that they come from. */
      readonly evidence: string;
      readonly source: string;
      readonly basis: Basis;
      /** What to do, in the order in which to try it. */
      readonly cures?: readonly string[];
      /** The section of the documents that explains it. */
      readonly guide?: string;
      /** Keys of the recipe with their proposed values. */
      readonly change?: { readonly [key: string]: Json };
      readonly trial?: Trial;
      /** Replaces `explainedBy` of the rule for this finding. */
      readonly explainedBy?: readonly string[];
    }
  | { readonly verdict: 'fine'; readonly fact: string }
  | { readonly verdict: 'unknown'; readonly why: string };

/** The input of a rule. */
export interface Subject {
  /** The plan of the recipe, or of the run's recipe. */
  readonly planned: RunPlan;
  readonly kind: 'recipe' | 'run';
  readonly measured: Measured;
}

/** A single check. It only reads measurements, so that tests can supply any. */
export interface AdviceRule {
  readonly id: string;
  /**
   * Other rules that explain this one: if one of them has a finding, this one is not checked, because its change would
   * treat a symptom.
   */
  readonly explainedBy?: readonly string[];
  /** Undefined if the rule does not apply to this subject. */
  readonly judge: (subject: Subject) => Judgement | undefined;
}

/** A finding as shown: changes and trials have been tested, and are absent if agentgym would refuse them. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly finding: string;
  readonly evidence: string;
  readonly source: string;
  readonly basis: Basis;
  /** What to do, in the order in which to try it. */
  readonly cures?: readonly string[];
  /** The section of the documents that explains it. */
  readonly guide?: string;
  /** Flags for `agentgym train`. */
  readonly change?: string;
  /** A whole command. */
  readonly ablate?: string;
}

/** What `agentgym advise --json` prints. */
export interface Advice {
  /** The run's folder, the recipe's file, or its built-in name. */
  readonly subject: string;
  readonly kind: 'recipe' | 'run';
  readonly measured: Measured;
  /** The worst first. */
  readonly findings: readonly Finding[];
  readonly fine: readonly { readonly rule: string; readonly fact: string }[];
  readonly notChecked: readonly { readonly rule: string; readonly why: string }[];
  /** The command that applies the change of the first finding with a change. */
  readonly next?: string;
}

/** The reason why a recipe alone lacks facts that only a run shows. */
export const onlyARun = 'this needs a run (`agentgym advise RUN`)';

/** The reason why a recipe alone does not show what the policy knows at the start of reinforcement learning. */
export const taughtFirst = 'the starting policy comes from fine-tuning or given weights, and ' + onlyARun;

export const unknown = (why: string): Judgement => ({ verdict: 'unknown', why });
export const fine = (fact: string): Judgement => ({ verdict: 'fine', fact });

/** "12 %"; one more digit below 1 %. */
export function percent(share: number): string {
  const value = 100 * share;
  return `${value !== 0 && Math.abs(value) < 1 ? value.toFixed(1) : Math.round(value)} %`;
}

/** "+3.1 points". */
export function points(difference: number): string {
  return `${difference < 0 ? '−' : '+'}${(100 * Math.abs(difference)).toFixed(1)} points`;
}

/** "−1.0 to +7.2 points"; an unbounded end has no number. */
export function pointsInterval({ low, high }: { readonly low: number | null; readonly high: number | null }): string {
  if (low === null || high === null) return 'no interval';
  return `${points(low).replace(' points', '')} to ${points(high)}`;
}
