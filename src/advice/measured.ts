import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { RewardBounds } from '../contracts/reward.js';
import type { RewardDensity } from '../rollout/reward-density.js';
import type { ReportMean } from '../reporting/report-data.js';

/** How many turns the oracle needs, played without the recipe's horizon in its way. */
export interface PlanMeasure {
  readonly tasks: number;
  /** Share of them that it solves. */
  readonly solved: number;
  /** Turns of those it solves. */
  readonly mean: number;
  readonly longest: number;
  /** Share of all tasks that it solves within the recipe's longest horizon, and within its first. */
  readonly withinHorizon: number;
  readonly withinFirst: number;
  /** Number of turns of the longest episode: if it is shorter than the horizon, the game ends by itself. */
  readonly longestPlayed: number;
}

/** Somebody's play of training tasks, at the recipe's longest horizon and under its reward. */
export interface PlayMeasure {
  readonly tasks: number;
  readonly episodesPerTask: number;
  readonly success: number;
  readonly turnsMean: number;
  readonly density: RewardDensity;
  /** Share of groups whose returns differ, by size of the group. */
  readonly groupsWithSignal: { readonly [size: string]: number };
}

/** What comparisons on the final tasks can see. */
export interface PowerMeasure {
  /** Whose outcomes the spread is of, and on how many tasks of which split. */
  readonly player: string;
  readonly split: string;
  readonly played: number;
  readonly success: number;
  /** Of the final evaluation. */
  readonly tasks: number;
  /** Effective number of clusters of tasks there. */
  readonly clusters: number;
  /**
   * Smallest true difference of two cells that is found four times in five, were seeds all alike: with so many seeds.
   */
  readonly detectable: { readonly [seeds: string]: number };
}

/** What the log and the evaluations of a run say. */
export interface RunMeasure {
  /** The last stage of reinforcement learning. */
  readonly stage: string;
  readonly steps: number;
  /** Means over its first steps, and over its last quarter, of every metric that was logged there. */
  readonly early: { readonly [metric: string]: number };
  readonly late: { readonly [metric: string]: number };
  readonly earlySteps: number;
  readonly lateSteps: number;
  /** The warnings of the rules of training, and their steps. */
  readonly warnings: readonly { readonly rule: string; readonly step: number; readonly message: string }[];
  /** Share of steps whose mean gradient is longer than it is clipped to. */
  readonly clippedGradients?: number;
  /** At temperature 0 on the final tasks. */
  readonly final?: RateOnTasks;
  readonly start?: RateOnTasks;
  /** Paired, over the final tasks: at temperature 0, and at the temperature of training. */
  readonly gain?: PairedGain;
  readonly gainAsTrained?: PairedGain;
  /** `rollout/success` over the last quarter of the steps less that over the quarter before, paired by place. */
  readonly rise?: ReportMean;
  readonly overRandom?: PairedGain;
  /** Share of the final tasks that came out as before reinforcement learning, to the turn. */
  readonly unchanged?: number;
  /** The final evaluation at the temperature of training. */
  readonly asTrained?: EvaluationSummary['success'];
}

export interface RateOnTasks {
  readonly rate: number;
  readonly tasks: number;
}

export interface PairedGain {
  readonly difference: ReportMean;
  readonly tasks: number;
}

/** What the supervised stage before reinforcement learning came to. */
export interface ImitationMeasure {
  readonly stage: string;
  readonly steps: number;
  /** Games that were seen, and how often each. */
  readonly demonstrations: number;
  /** Distinct tasks of them; absent where they come from a file. */
  readonly tasks?: number;
  readonly epochs: number;
  /** Mean of `train/loss` over the last quarter of the steps. */
  readonly loss: number;
  /**
   * `eval/held_out_loss`: at the end, at its least, and by what share of it the last quarter of the steps lowered it.
   * Absent where nothing was evaluated on the way.
   */
  readonly heldOut?: { readonly last: number; readonly least: number; readonly fall: number };
  /** Share of held-out turns at which the likeliest action is the expert's. */
  readonly agreement?: number;
  /**
   * On the final tasks, at temperature 0 or the training temperature, whichever is better. If an expert draws its
   * actions, the policy imitates its distribution, and the most likely action alone may play badly.
   */
  readonly success?: number;
  readonly temperature?: number;
  /** Who is imitated; absent where the games come from a file. */
  readonly expert?: string;
  /** Paired, over the final tasks, at `temperature`. */
  readonly overExpert?: PairedGain;
  readonly overRandom?: PairedGain;
}

/** Everything that rules look at beside the recipe. What could not be measured is absent. */
export interface Measured {
  readonly plan?: PlanMeasure;
  /** `random`, the expert that is imitated, and `policy` of a run. */
  readonly players: { readonly [player: string]: PlayMeasure };
  /** Of the undiscounted return, by what the recipe's key is called. */
  readonly rewards: { readonly [key: string]: RewardBounds };
  /**
   * How many tasks a split has; how many two of them share, of all tasks or, by the manifest of a run, of those it
   * used.
   */
  readonly splits: {
    readonly train: number | 'unbounded';
    readonly validation: number | 'unbounded';
    readonly test: number | 'unbounded';
    readonly shared?: number;
  };
  readonly power?: PowerMeasure;
  readonly run?: RunMeasure;
  /** Of a run with a supervised stage. */
  readonly imitation?: ImitationMeasure;
  /** The preset of the policy that comes after the recipe's. */
  readonly largerPreset?: string;
}
