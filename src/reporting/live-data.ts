// What `agentgym ui` sends to its pages, as JSON: server-sent events named `runs`, `report`, `load` and `problem`.
// Types alone, like report-data.ts, which it goes with.
import type { ReportData, ReportEpisode, ReportRate, ReportRun, ReportStatus } from './report-data.js';

/** Everything in the folder that is followed: the event `runs`. */
export interface RunsListing {
  readonly formatVersion: 1;
  /** The folder, as the server was given it. */
  readonly folder: string;
  /** Version of the tool. */
  readonly version: string;
  /** Runs that stand by themselves, the newest first. */
  readonly runs: readonly ListedRun[];
  /** The newest first. */
  readonly ablations: readonly ListedAblation[];
}

/** A run in a list. */
export interface ListedRun {
  /** By which the server knows it: the run's id, with a number behind it where two folders hold the same one. */
  readonly key: string;
  /** Name of the recipe. */
  readonly recipe: string;
  /** What somebody called it; absent: nobody did. */
  readonly name?: string;
  readonly seed: number;
  readonly status: ReportStatus;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Null before the first step. */
  readonly stage: string | null;
  /** Steps over all stages, and how many the recipe wants. */
  readonly steps: number;
  readonly stepsWanted: number;
  /** The last word on it so far; null where there is none. */
  readonly success: ListedSuccess | null;
  /** Empty where nothing but supervised fine-tuning is done. */
  readonly algorithm: string;
  /** By key of the recipe: those at which the runs of this recipe in the list differ, the seed apart. */
  readonly settings: { readonly [key: string]: unknown };
  /** Of the final evaluation, one a temperature; none before it. */
  readonly finals: readonly (ReportRate & { readonly temperature: number })[];
  /** Of work, over all sessions. */
  readonly seconds: number;
}

/** `final`: the final evaluation; `evaluated`: the last one on the way; `trained`: the last step's own episodes. */
export interface ListedSuccess {
  readonly rate: number;
  readonly from: 'final' | 'evaluated' | 'trained';
}

export interface ListedAblation {
  /** Name of its folder. */
  readonly key: string;
  readonly name: string;
  readonly question: string;
  /** Null before it compared its cells. */
  readonly answer: string | null;
  readonly status: ReportStatus;
  readonly createdAt: string;
  readonly cells: readonly ListedCell[];
}

export interface ListedCell {
  readonly id: string;
  /** What people read in the place of the id; absent: the id. */
  readonly title?: string;
  /** Runs that have begun, by seed. */
  readonly runs: readonly ListedRun[];
  /** Seeds that have not. */
  readonly queued: readonly number[];
}

/** The event `report`: all of a report but its episodes, and of these what the page does not have yet. */
export interface ReportUpdate {
  readonly report: Omit<ReportData, 'runs'> & { readonly runs: readonly RunUpdate[] };
  /** By the id of the run. */
  readonly episodes: { readonly [run: string]: EpisodesUpdate };
}

/**
 * A run without its episodes, and without what did not change since the last event of this connection: `kept` names
 * these parts.
 */
export type RunUpdate = Pick<ReportRun, 'id'> &
  Partial<Omit<ReportRun, 'episodes'>> & { readonly kept: readonly (keyof ReportRun)[] };

interface EpisodesUpdate {
  /** Keys of all its episodes, in order. */
  readonly order: readonly string[];
  /** Those that were not sent on this connection before, by key: what has a key once never changes. */
  readonly added: { readonly [key: string]: ReportEpisode };
}

/** The event `load`, every two seconds: what the machine is doing. */
export interface SystemLoad {
  /** Cores that the server may use. */
  readonly cores: number;
  /** Share of all cores that was busy since the sample before, in [0, 1]; null in the first. */
  readonly busy: number | null;
  /** Means over 1, 5 and 15 minutes; null where the system has none (Windows). */
  readonly average: readonly [number, number, number] | null;
  /** Bytes. */
  readonly memory: { readonly used: number; readonly total: number };
  /** Processes that train runs of this page; none where the system does not tell (other than Linux). */
  readonly processes: readonly ProcessLoad[];
}

export interface ProcessLoad {
  /** Key of the run. */
  readonly run: string;
  readonly pid: number;
  /** Cores that it kept busy since the sample before; null in the first. */
  readonly cores: number | null;
  /** Resident memory in bytes. */
  readonly memory: number;
}

/** The event `problem`: why there is nothing newer than what the page shows. */
export interface ServerProblem {
  readonly message: string;
}
