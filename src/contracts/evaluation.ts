import type { SplitName } from './environment.js';

/** An estimate with its 95 % interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Success on the tasks that share one value of a label. */
export interface LabelledSuccess {
  readonly value: string | number;
  readonly tasks: number;
  readonly success: EvaluationSummary['success'];
}

/** An evaluation as every JSON document carries it. Rates are in 0..1. */
export interface EvaluationSummary {
  readonly split: SplitName;
  /** Which of the recipe's `evaluation.final.transfer` was played; absent: the recipe's own environment. */
  readonly environment?: string;
  readonly temperature: number;
  /** `method` says which interval it is. */
  readonly success: Interval & {
    readonly rate: number;
    readonly episodes: number;
    readonly method: 'wilson' | 'cluster-bootstrap';
  };
  readonly return: Interval & { readonly mean: number };
  readonly turns: Interval & { readonly mean: number };
  /** Share of episodes that a cap cut. */
  readonly truncated: number;
  /** Share of turns whose action was malformed or illegal. */
  readonly invalid: number;
  /** Episodes that infrastructure broke: outside every denominator. */
  readonly failed: number;
  /** With several attempts at each task: mean success, and the unbiased chance that one of k succeeds. */
  readonly attempts?: { readonly k: number; readonly avg: number; readonly pass: number };
  /**
   * The same success apart, by each label that the tasks have. Where splits share clusters, `training` says whether the
   * run trained on a task's cluster: `seen` or `unseen`.
   */
  readonly labels?: { readonly [axis: string]: readonly LabelledSuccess[] };
}
