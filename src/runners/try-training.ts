import type { RunPlan } from '../config/run-plan.js';
import { expectedCost, type ExpectedCost, type TaskCounts } from './expected-cost.js';
import { errorOf } from './failure-of.js';
import { runPilot } from './run-pilot.js';

/** The least that tells the time of a step: the first step of a stage also compiles. */
const trialSize = { steps: 2, tasks: 8 };

/** What a few steps of a recipe tell about a whole run of it. */
export interface TriedTraining {
  /** Most steps of each stage that were tried. */
  readonly steps: number;
  /** Expected seconds of a run. */
  readonly seconds: ExpectedCost['seconds'];
  /** Most memory in bytes that the steps took; null: unknown. */
  readonly peakBytes: number | null;
}

export interface TrialRequest {
  readonly plan: RunPlan;
  readonly tasks: TaskCounts;
  /** Whether the steps are refused if their memory does not fit. */
  readonly checksMemory: boolean;
  /** Ends the steps. */
  readonly signal: AbortSignal;
}

/** The steps of each stage that a trial takes. */
export const trialSteps = trialSize.steps;

/**
 * Trains a few steps of each stage in a process of its own, and leaves nothing behind.
 *
 * @throws the error that ended the steps, AG_TRIAL_FAILED if that is no user's error, and the signal's reason
 */
export async function tryTraining({ plan, tasks, checksMemory, signal }: TrialRequest): Promise<TriedTraining> {
  const pilot = await runPilot(plan, trialSize, signal, checksMemory ? undefined : null);
  if (pilot.status === 'failed') throw errorOf(pilot, 'AG_TRIAL_FAILED', 'The steps that were tried failed: ');
  const { seconds } = expectedCost(plan, pilot.speed, tasks);
  return { steps: trialSize.steps, seconds, peakBytes: pilot.peakBytes ?? null };
}
