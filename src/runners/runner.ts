import type { Recipe } from '../config/recipe-schema.js';
import type { RunEvent } from '../contracts/events.js';
import type { ErrorCode } from '../errors/error-codes.js';
import type { RunLabel } from '../runs/run-label.js';
import type { RunResult } from '../runs/run-result.js';

/** One run to train, in a folder of its own. */
export interface TrainingJob {
  readonly recipe: Recipe;
  /** The run's folder, absolute. It may not exist yet. */
  readonly directory: string;
  /** The label that the run gets. */
  readonly label: RunLabel;
  /** Folder of the supervised stages that it shares with other runs. Absent: it shares none. */
  readonly sharedStages?: string;
  /** Folder in which it shares the games of its experts with other runs. Absent: it shares none. */
  readonly sharedGames?: string;
  /** Runs that are trained at the same time; on one machine, they share its memory. Default: 1. */
  readonly together?: number;
}

/** How the training of a run ended. */
export type TrainOutcome = { readonly status: RunResult['status']; readonly seconds: number } | FailedOutcome;

/** How it ended if it was stopped before it could tell. */
export const interrupted: TrainOutcome = { status: 'interrupted', seconds: 0 };

export interface FailedOutcome {
  readonly status: 'failed';
  readonly cause: string;
  readonly code?: ErrorCode | undefined;
  /** What the user can do. */
  readonly hint?: string | undefined;
}

/**
 * Where runs are trained: on this machine, or on a cluster. After `train`, the run's folder has the same files wherever
 * it was trained.
 */
export interface Runner {
  /** Runs that it trains at the same time. */
  readonly workers: number;
  /** Whether all runs see one disk, and may share stages and games there. */
  readonly sharesDisk: boolean;
  /**
   * Trains a run, or resumes it from what its folder has. What the machines did, such as a lost node, is never a
   * failure of the run while another attempt is allowed.
   *
   * @param signal ends it; the run then stays resumable, and its status is `interrupted`
   * @throws never for what is wrong with the run or the machines: that is its outcome
   */
  train(
    job: TrainingJob,
    resume: boolean,
    listener: (event: RunEvent) => void,
    signal: AbortSignal,
  ): Promise<TrainOutcome>;
}

/** A name for people. */
export function jobName({ label, recipe }: TrainingJob): string {
  return label.name ?? recipe.name;
}
