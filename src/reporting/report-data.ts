// The data of the report page, as JSON. This file imports only types, so that the page in a browser and the code that
// makes the data share it. Recorded data of an episode is described once. JSON has no non-finite numbers: they are null
// here.
import type { CompletedEpisode, TokenRecord, Turn } from '../contracts/trajectory.js';
import type { Reservable } from './reservations.js';

/** The whole document, as it stands in the page and as a server sends it. */
export interface ReportData {
  readonly formatVersion: 1;
  /** `run`: one run; `comparison`: several runs side by side; `ablation`: a grid of cells, each with its seeds. */
  readonly kind: 'run' | 'comparison' | 'ablation';
  /** Name of the recipe or of the ablation. */
  readonly title: string;
  /** What was to be found out, as one question: "Does reinforcement learning help on textcraft?" */
  readonly question: string;
  /** What came out, in one sentence with its numbers; it also says where nothing can be said yet. */
  readonly answer: string;
  /** Remarks for the reader, one sentence each: half-written logs, episodes left out, runs that are not exact. */
  readonly notes: readonly string[];
  /** When the data was gathered: ISO 8601, UTC. */
  readonly createdAt: string;
  /** Version of the tool that made it. */
  readonly version: string;
  /** In the order in which they are shown: for a run just that one. */
  readonly runs: readonly ReportRun[];
  /** Settings that are compared, each with its seeds; empty for a single run. In the order in which they are shown. */
  readonly cells: readonly ReportCell[];
  /** Paired differences, the most important first. */
  readonly comparisons: readonly ReportComparison[];
  /** Of a full grid of two keys or more; absent elsewhere. */
  readonly effects?: readonly ReportEffect[];
  /** Where every cell is tested in several environments. */
  readonly transfer?: ReportTransfer;
}

/** The trained level, and the results by tested level. */
export interface ReportTransfer {
  /** What all cells are tested on: the columns. */
  readonly tested: readonly string[];
  readonly rows: readonly {
    /** Id of the cell; it trained on the column of that name. */
    readonly cell: string;
    /** Success on each column, in their order; null before the first run is complete. */
    readonly success: readonly (ReportRate | null)[];
    /**
     * Difference to those that trained there, the mean over the columns that it did not train on; null where it cannot
     * be told yet.
     */
    readonly elsewhere: ReportMean | null;
  }[];
}

/** One run: one recipe with one seed. */
export interface ReportRun {
  /** Unique in the document. */
  readonly id: string;
  /** For people; short, unique in the document: "seed 1", "grpo, seed 3". */
  readonly label: string;
  /** What somebody called it; absent: nobody did. */
  readonly name?: string;
  /** Id of its cell; null without cells. */
  readonly cell: string | null;
  readonly seed: number;
  readonly status: ReportStatus;
  /** Why it failed, in words; absent where it did not. */
  readonly failure?: string;
  /** ISO 8601, UTC; null where it never began. */
  readonly startedAt: string | null;
  /**
   * Facts for the head of the page, in order: `['environment', 'textcraft']`, `['algorithm', 'grpo, groups of 16']`.
   */
  readonly summary: readonly (readonly [name: string, value: string])[];
  /** The resolved recipe; absent where a document has too many runs to carry them all. */
  readonly recipe?: { readonly [key: string]: unknown };
  /**
   * The outcome of each task of the final evaluation; absent before it, and if a document has too many runs to include
   * them.
   */
  readonly tasks?: ReportTasks;
  /** A command that trains the same again; absent where nobody looked. */
  readonly repeat?: string;
  /** Absent where nobody asked. */
  readonly advice?: ReportAdvice;
  /** In the order of training. */
  readonly stages: readonly ReportStage[];
  /** One entry a metrics line, columns of equal length. */
  readonly series: ReportSeries;
  /** In the order in which they were made. */
  readonly evaluations: readonly ReportEvaluation[];
  /** Over all stages, by currency: `demonstrations`, `episodes`, `turns`, `tokens`, `units`, `seconds`, ... */
  readonly spent: { readonly [currency: string]: number };
  /** Recorded episodes: all, or a choice that `episodesRecorded` tells of. */
  readonly episodes: readonly ReportEpisode[];
  /** How many the run recorded: more than `episodes` holds where the page would grow too large. */
  readonly episodesRecorded: number;
}

/** The tasks of the final evaluation, in columns of equal length. */
export interface ReportTasks {
  readonly split: string;
  readonly task: readonly string[];
  /** Before training and after it, at each temperature. */
  readonly played: readonly {
    readonly player: 'start' | 'policy';
    readonly temperature: number;
    /** Share of the attempts at each task that succeeded, in [0, 1]; null where it was not played. */
    readonly success: readonly (number | null)[];
  }[];
}

/** What a run's log and evaluations say against the tool's rules. */
export interface ReportAdvice {
  /** The worst first. */
  readonly findings: readonly {
    readonly rule: string;
    readonly severity: 'problem' | 'advice' | 'hint';
    readonly finding: string;
    readonly evidence: string;
    readonly source: string;
    /** Flags that would change it. */
    readonly change?: string;
    /** A command that would test it. */
    readonly ablate?: string;
  }[];
  readonly fine: readonly { readonly rule: string; readonly fact: string }[];
  readonly notChecked: readonly { readonly rule: string; readonly why: string }[];
}

/** `queued`: a run of an ablation that has not begun. Else as a run's manifest has it. */
export type ReportStatus = 'queued' | 'running' | 'completed' | 'interrupted' | 'stopped' | 'failed';

export interface ReportStage {
  readonly name: string;
  readonly kind: 'sft' | 'rl';
  /** Steps done. */
  readonly steps: number;
  readonly spent: { readonly [currency: string]: number };
}

/**
 * Metrics in columns of equal length, one entry a line of the log, in its order. Long logs may be thinned out; lines
 * with evaluations stay.
 */
export interface ReportSeries {
  readonly stage: readonly string[];
  /** Of the stage, from 1. */
  readonly step: readonly number[];
  /** Of the whole run, from 1; never falls. */
  readonly runStep: readonly number[];
  /** Episodes collected for training so far, over all stages; never falls. */
  readonly episodes: readonly number[];
  /** Seconds worked so far, evaluations among them, over all stages and sessions; never falls. */
  readonly seconds: readonly number[];
  /**
   * Each metric by its name in the log (`rollout/success`, `eval/t0/success`); null where a line has none or it is not
   * finite.
   */
  readonly metrics: { readonly [name: string]: readonly (number | null)[] };
}

/** A 95 % interval; null if it is unbounded, as from one value. */
export interface ReportInterval extends Reservable {
  readonly low: number | null;
  readonly high: number | null;
}

/** Success as a rate in [0, 1], with its interval. */
export interface ReportRate extends ReportInterval {
  readonly rate: number;
}

/** A mean, or a difference of means, with its interval. */
export interface ReportMean extends ReportInterval {
  readonly mean: number;
}

/** A player on tasks of a split. */
export interface ReportEvaluation {
  /**
   * `policy` during and after training, `start` before the first rl stage; `random`, `demonstrator` and `oracle` are
   * baselines.
   */
  readonly player: string;
  /** Part of the last word on the run: the same tasks as all others that are. Else a point on the way. */
  readonly final: boolean;
  readonly stage: string;
  readonly step: number;
  readonly runStep: number;
  readonly split: string;
  /** The recipe's name of another environment for transfer; absent: its own environment. */
  readonly environment?: string;
  readonly temperature: number;
  readonly success: ReportRate & { readonly episodes: number; readonly method: 'wilson' | 'cluster-bootstrap' };
  readonly return: ReportMean;
  readonly turns: ReportMean;
  /** Share of episodes that a cap cut, in [0, 1]. */
  readonly truncated: number;
  /** Share of turns whose action was malformed or illegal, in [0, 1]. */
  readonly invalid: number;
  /** Episodes that infrastructure broke: outside every denominator. */
  readonly failed: number;
  /** With several attempts at each task. */
  readonly attempts?: { readonly k: number; readonly avg: number; readonly pass: number };
  /** The same success apart, by each label that the tasks have: their type, or whether training saw their cluster. */
  readonly labels?: { readonly [axis: string]: readonly ReportLabel[] };
}

/** A player on the tasks that share one value of a label. */
interface ReportLabel {
  readonly value: string | number;
  readonly tasks: number;
  readonly success: ReportEvaluation['success'];
}

/** A point of an ablation's grid, or one of several recipes that are compared. */
export interface ReportCell {
  /** Unique in the document. */
  readonly id: string;
  /** For people; short, unique in the document: "grpo, dense". */
  readonly label: string;
  /** What varies, by key of the recipe: `{'algorithm.name': 'grpo'}`. */
  readonly settings: { readonly [key: string]: unknown };
  /** Seeds that were asked for. */
  readonly seeds: readonly number[];
  /** Mean success over the seeds that came to their end; null before the first. */
  readonly success: ReportRate | null;
  /** Mean over its runs, by currency. */
  readonly spent: { readonly [currency: string]: number };
  /** `failed` where any of its runs failed and none goes on. */
  readonly status: ReportStatus;
  /** Why it failed, in words. */
  readonly failure?: string;
  /** Remarks on this cell: keys of the recipe that have no effect here. */
  readonly notes?: readonly string[];
}

/** `b` minus `a`, paired by seed or by task. */
export interface ReportComparison {
  /** What is compared: `success`, in [0, 1], or the name of another measure. */
  readonly measure: string;
  /** Label of a cell, a run or a player. */
  readonly a: string;
  readonly b: string;
  readonly difference: ReportMean;
  /** Two-sided; null where no test was made. */
  readonly p: number | null;
  /** `p` corrected for the number of comparisons; null where it was not. */
  readonly corrected: number | null;
  /** What is paired, and how often: "83 tasks", "5 seeds". */
  readonly pairs: string;
  /** Number of seeds; with one seed the interval holds only for other tasks. */
  readonly seeds: number;
}

/**
 * What a key of a grid does over all values of the others, or what two keys do together: `a` and `b` are values, and
 * `corrected` is over all effects.
 */
export interface ReportEffect extends ReportComparison {
  readonly kind: 'main' | 'interaction';
}

/** A recorded episode. Those of one task and member in two places are the same task in the same world. */
export interface ReportEpisode
  extends
    Pick<CompletedEpisode, 'task' | 'group' | 'member' | 'retries' | 'turns'>,
    Partial<Pick<CompletedEpisode, 'finalObservation' | 'groupReturns'>> {
  /** Where it was played: the name of a stage, `evaluation.start` or `evaluation.final`. */
  readonly stage: string;
  readonly step: number;
  readonly runStep: number;
  /** `solved`; `lost`: ended without success; `truncated`: a cap cut it, unsolved; `failed`: infrastructure broke. */
  readonly outcome: 'solved' | 'lost' | 'truncated' | 'failed';
  /** The cap that cut it, or what broke; absent where neither did. */
  readonly cause?: string;
  /** Undiscounted sum of the rewards; null for a failed one. */
  readonly return: number | null;
  /** Absent for players without tokens. */
  readonly record?: ReportTokens;
}

/** One observation and the action that followed it, as it was recorded. */
export type ReportTurn = Turn;

/** Columns of a record that are numbers as they are, or texts. */
type ExactColumn = 'tokens' | 'mask' | 'pieces';

/**
 * An episode's tokens, in columns of equal length, as they were recorded; a measured number that is not finite is null.
 */
export type ReportTokens = {
  readonly [Column in keyof TokenRecord]: Column extends ExactColumn ? TokenRecord[Column] : readonly (number | null)[];
};
