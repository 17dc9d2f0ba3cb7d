import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RunPlan } from '../config/run-plan.js';
import type { HorizonSettings, Recipe } from '../config/recipe-schema.js';
import { loadRun } from '../runs/load-run.js';
import { planOfRun } from '../runs/plan-of-run.js';
import { usualTasks } from './expected-cost.js';
import { pilotSpeed, type PilotTimes, type Speed } from './pilot-speed.js';
import type { FailedOutcome } from './runner.js';
import { trainInProcess } from './train-process.js';

/** How short a pilot is. */
export interface PilotSize {
  /** Steps of each stage. The first one compiles programs and does not tell how long a step takes. */
  readonly steps: number;
  /** Most final tasks. */
  readonly tasks: number;
}

export interface Pilot {
  readonly status: 'completed';
  readonly speed: Speed;
  /** Most memory of its process, in bytes. Absent: unknown. */
  readonly peakBytes?: number;
}

/**
 * A short run of a recipe, in a process and a temporary folder of its own. It leaves nothing behind, and sends nothing
 * to the recipe's trackers.
 *
 * @param memoryBytes as in `trainInProcess`
 * @throws the signal's reason
 */
export async function runPilot(
  plan: RunPlan,
  size: PilotSize,
  signal: AbortSignal,
  memoryBytes?: number | null,
): Promise<Pilot | FailedOutcome> {
  signal.throwIfAborted();
  const recipe = pilotRecipe(plan, size);
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-pilot-'));
  try {
    const run = { recipe, directory: join(folder, 'run'), label: { tags: [] } };
    const events: PilotTimes['events'][number][] = [];
    const begun = secondsNow();
    const listener = (event: (typeof events)[number]['event']) => void events.push({ event, at: secondsNow() });
    const outcome = await trainInProcess(run, false, listener, signal, memoryBytes);
    signal.throwIfAborted();
    if ('cause' in outcome) return outcome;
    const { manifest, metrics, result } = await loadRun(run.directory);
    if (outcome.status !== 'completed' || result === undefined) return { status: 'failed', cause: outcome.status };
    const { evaluation, peakBytes, seconds } = result;
    // The run counts its seconds from a moment of its own, and no event tells that the last player is done.
    const lastStep = events.findLast(({ event }) => event.type === 'step')?.at ?? secondsNow();
    const sinceLastStep = seconds - Number(metrics.at(-1)?.metrics['time/run_seconds'] ?? seconds);
    const times = { begun, events, evaluated: lastStep + sinceLastStep, episodes: evaluation?.success.episodes ?? 0 };
    const speed = pilotSpeed(planOfRun(manifest), times);
    return { status: 'completed', speed, ...(peakBytes !== undefined && { peakBytes }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The recipe of a pilot. */
export function pilotRecipe({ entries, lastRl, recipe, longestHorizon }: RunPlan, size: PilotSize): Recipe {
  const { environments, horizon: _, ...others } = recipe;
  const fixed = Object.entries(environments ?? {}).map(([name, settings], place) => {
    return [name, { ...settings, horizon: fixedHorizon(entries[place]!.longestHorizon) }] as const;
  });
  const stages = Object.entries(recipe.stages).map(([name, stage]) => {
    const { stopWhen: _, ...rest } = stage;
    if (rest.kind === 'rl') delete rest.horizon;
    const { warmup: __, ...optimizer } = stage.optimizer;
    const steps = Math.min(stage.steps, size.steps);
    return [name, { ...rest, steps, optimizer: { ...optimizer, warmup: 0 } }] as const;
  });
  // Only the final evaluation stays: it tells what the others take, and their keys would be idle.
  const { final, horizon, seed } = recipe.evaluation;
  const tasks = Math.min(size.tasks, final.tasks === 'all' ? usualTasks : final.tasks);
  const evaluation = {
    every: 0,
    ...(lastRl !== undefined && { before: { tasks: 0 } }),
    final: { ...final, tasks, episodesPerTask: 1 },
    ...(horizon !== undefined && { horizon }),
    ...(seed !== undefined && { seed }),
  };
  return {
    ...others,
    // The pilot is too short for a schedule to get past its first turns.
    ...(environments === undefined
      ? { horizon: fixedHorizon(longestHorizon) }
      : { environments: Object.fromEntries(fixed) }),
    stages: Object.fromEntries(stages),
    // Without evaluations during training, it lacks the keys that describe them.
    evaluation: evaluation as Recipe['evaluation'],
    record: { episodes: 0 },
    tracking: [],
    // Only those at the ends of stages, so that the times between steps are those of steps.
    checkpoint: { ...recipe.checkpoint, every: 0 },
  };
}

function fixedHorizon(turns: number): HorizonSettings {
  return { schedule: 'fixed', turns };
}

function secondsNow(): number {
  return performance.now() / 1000;
}
