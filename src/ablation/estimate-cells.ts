import { supervisedBeginning } from '../config/supervised-beginning.js';
import type { RunPlan } from '../config/run-plan.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { expectedCost, type ExpectedCost } from '../runners/expected-cost.js';
import { causeOf } from '../runners/failure-of.js';
import type { Speed } from '../runners/pilot-speed.js';
import { runPilot } from '../runners/run-pilot.js';
import type { Cell, ResolvedCells } from './resolve-cells.js';

/** The expected cost of one run of a cell. */
export interface CellEstimate
  extends Pick<Cell, 'id' | 'title' | 'notes'>, Pick<ExpectedCost, 'demonstrations' | 'episodes' | 'steps'> {
  /** Seconds of one run alone on this machine. */
  readonly seconds: number;
  /** The part for supervised stages that an earlier cell also trains for this one. */
  readonly sharedSeconds: number;
}

const pilotSize = { steps: 4, tasks: 50 };

/**
 * Steps of the pilots, as a share of the steps of all runs. A pilot is one short run for all cells that take equally
 * long for each turn.
 */
export function pilotShare(cells: readonly Cell[], seeds: number): number {
  const pilots = new Map(cells.map((cell) => [speedKey(cell), stepsOf(cell, pilotSize.steps)]));
  const all = cells.reduce((sum, cell) => sum + stepsOf(cell, Infinity), 0) * seeds;
  return [...pilots.values()].reduce((sum, steps) => sum + steps, 0) / Math.max(1, all);
}

function stepsOf({ recipe }: Cell, most: number): number {
  return Object.values(recipe.stages).reduce((sum, { steps }) => sum + Math.min(steps, most), 0);
}

/** Equal for cells whose turns and batch rows take the same time. */
export function speedKey({ recipe: { environment, environments, format, policy, algorithm } }: Cell): string {
  return JSON.stringify([environment ?? environments, format, policy, algorithm]);
}

/** Trains a few steps in a temporary folder, once for equally fast cells, and estimates the cost of each cell. */
export async function estimateCells(
  { cells, plans }: ResolvedCells,
  signal: AbortSignal,
): Promise<readonly CellEstimate[]> {
  const planned = cells.map((cell) => ({ cell, plan: plans.get(cell.id) as RunPlan }));
  const speeds = new Map<string, Speed>();
  // Cells with the most funded stages come first: a cell without supervised steps cannot measure their time.
  const telling = [...planned].sort((a, b) => b.plan.funded.length - a.plan.funded.length);
  for (const { cell, plan } of telling) {
    const key = speedKey(cell);
    if (!speeds.has(key)) speeds.set(key, await speedOf(cell, plan, signal));
  }
  const begun = new Set<string>();
  return planned.map(({ cell, plan }) => {
    const beginning = supervisedBeginning(plan);
    const isShared = beginning !== undefined && begun.has(beginning);
    if (beginning !== undefined) begun.add(beginning);
    const { id, title, notes } = cell;
    const { seconds, ...cost } = expectedCost(plan, speeds.get(speedKey(cell)) as Speed);
    const sharedSeconds = isShared ? seconds.supervised : 0;
    return { id, title, seconds: seconds.total, sharedSeconds, ...cost, notes };
  });
}

async function speedOf(cell: Cell, plan: RunPlan, signal: AbortSignal): Promise<Speed> {
  const pilot = await runPilot(plan, pilotSize, signal);
  if (pilot.status === 'completed') return pilot.speed;
  const message = `The pilot of the cell ${cell.id} failed: ${causeOf(pilot)}`;
  throw new AgentgymError('AG_ABLATION_PILOT', { message });
}
