// What `agentgym ui` sends to its pages, as JSON: server-sent events named `runs`, `report`, `load` and `problem`.
// Like report-data.ts, this file has only types.
import type { ReportData, ReportEpisode, ReportRate, ReportRun, ReportStatus } from './report-data.js';

/** All runs and ablations in the watched folder: the event `runs`. */
export interface RunsListing {
  readonly formatVersion: 1;
  /** The folder, as the server was given it. */
  readonly folder: string;
  /** Version of the tool. */
  readonly version: string;
  /** Runs outside of ablations, the newest first. */
  readonly runs: readonly ListedRun[];
  /** The newest first. */
  readonly ablations: readonly ListedAblation[];
}

/** A run in a list. */
export interface ListedRun {
  /** The server's key for the run: its id, with a number appended if two folders contain the same id. */
  readonly key: string;
  /** Name of the recipe. */
  readonly recipe: string;
  /** The name that a user gave the run; absent without one. */
  readonly name?: string;
  /** The tags that a user gave it. */
  readonly tags: readonly string[];
  readonly seed: number;
  readonly status: ReportStatus;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Null before the first step. */
  readonly stage: string | null;
  /** Steps over all stages, and the number that the recipe asks for. */
  readonly steps: number;
  readonly stepsWanted: number;
  /** The latest success; null if there is none yet. */
  readonly success: ListedSuccess | null;
  /** Empty if the run only does supervised fine-tuning. */
  readonly algorithm: string;
  /** Keys of the recipe in which the listed runs of this recipe differ, except the seed. */
  readonly settings: { readonly [key: string]: unknown };
  /** Success of the final evaluation, one entry per temperature; empty before it. */
  readonly finals: readonly (ReportRate & { readonly temperature: number })[];
  /** Working time over all sessions. */
  readonly seconds: number;
}

/**
 * `final`: the final evaluation; `evaluated`: the last evaluation during training; `trained`: the episodes of the last
 * step.
 */
export interface ListedSuccess {
  readonly rate: number;
  readonly from: 'final' | 'evaluated' | 'trained';
}

export interface ListedAblation {
  /** Name of its folder. */
  readonly key: string;
  readonly name: string;
  readonly question: string;
  /** Null before its cells are compared. */
  readonly answer: string | null;
  readonly status: ReportStatus;
  readonly createdAt: string;
  readonly cells: readonly ListedCell[];
}

export interface ListedCell {
  readonly id: string;
  /** Shown instead of the id; absent: the id. */
  readonly title?: string;
  /** Started runs, by seed. */
  readonly runs: readonly ListedRun[];
  /** Seeds without a started run. */
  readonly queued: readonly number[];
}

/** The event `report`: a whole report, but only those episodes that the page does not have yet. */
export interface ReportUpdate {
  readonly report: Omit<ReportData, 'runs'> & { readonly runs: readonly RunUpdate[] };
  /** By run id. */
  readonly episodes: { readonly [run: string]: EpisodesUpdate };
}

/**
 * A run without its episodes and without the parts that have not changed since the last event of this connection.
 * `kept` names these parts.
 */
export type RunUpdate = Pick<ReportRun, 'id'> &
  Partial<Omit<ReportRun, 'episodes'>> & { readonly kept: readonly (keyof ReportRun)[] };

interface EpisodesUpdate {
  /** Keys of all its episodes, in order. */
  readonly order: readonly string[];
  /** Episodes that were not sent on this connection before, by key. The episode of a key never changes. */
  readonly added: { readonly [key: string]: ReportEpisode };
}

/** The event `load`, every two seconds: the load of the machine. */
export interface SystemLoad {
  /** Cores that the server may use. */
  readonly cores: number;
  /** Busy share of all cores since the last sample, in [0, 1]; null in the first sample. */
  readonly busy: number | null;
  /** Means over 1, 5 and 15 minutes; null if the system has none (Windows). */
  readonly average: readonly [number, number, number] | null;
  /** Bytes. */
  readonly memory: { readonly used: number; readonly total: number };
  /** Processes that train runs of this page; empty on systems other than Linux, which do not report them. */
  readonly processes: readonly ProcessLoad[];
}

export interface ProcessLoad {
  /** Key of the run. */
  readonly run: string;
  readonly pid: number;
  /** Cores that it kept busy since the last sample; null in the first sample. */
  readonly cores: number | null;
  /** Resident memory in bytes. */
  readonly memory: number;
}

/** The event `problem`: why the page gets no newer data. */
export interface ServerProblem {
  readonly message: string;
}
