import type { RunPlan } from '../config/run-plan.js';
import type { Json } from '../contracts/json.js';
import type { ReportAdvice } from '../reporting/report-data.js';
import type { Measured } from './measured.js';

/** A finding as shown: changes and trials have been tested, and are absent if agentgym would refuse them. */
export type Finding = ReportAdvice['findings'][number];

/**
 * `problem`: training cannot reach its goal; `advice`: another setting is probably better; `hint`: worth considering.
 */
export type Severity = Finding['severity'];

/** The source of a rule's figures: the Guide's paper, our figures, or both. */
export type Basis = Finding['basis'];

/** An experiment along a named axis that would test a finding. */
export interface Trial {
  readonly axis: string;
  readonly values?: readonly Json[];
}

/** What a rule finds, in one sentence with its evidence: the numbers, and the data that they come from. */
export interface FoundJudgement extends Omit<Finding, 'rule' | 'change' | 'ablate'> {
  readonly verdict: 'finding';
  /** Keys of the recipe with their proposed values. */
  readonly change?: { readonly [key: string]: Json } | undefined;
  readonly trial?: Trial;
  /** Replaces `explainedBy` of the rule for this finding. */
  readonly explainedBy?: readonly string[];
}

/** The result of a rule for a subject. */
export type Judgement =
  | FoundJudgement
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

/** What `agentgym advise --json` prints. */
export interface Advice extends ReportAdvice {
  /** The run's folder, the recipe's file, or its built-in name. */
  readonly subject: string;
  readonly kind: 'recipe' | 'run';
  readonly measured: Measured;
  /** The command that applies the change of the first finding with a change. */
  readonly next?: string | undefined;
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
