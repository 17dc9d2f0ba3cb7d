import { join, resolve } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import type { Renderer, Rendering } from '../runners/rendered/renderer.js';
import { writeJsonAtomically } from '../runs/durable-files.js';
import { runOwner } from '../runs/run-lock.js';
import type { LiveTracking } from '../tracking/live-tracking.js';
import { AblationDirectory, runsOf } from './ablation-directory.js';
import type { PlannedAblation } from './plan-ablation.js';
import { runCells, findMissing, type RunCellsOptions } from './run-cells.js';
import type { AblationResult } from './ablation-result.js';
import { readBegunRuns, summarizeCells, type SummarizeOptions } from './summarize-ablation.js';

interface AblationOptions extends SummarizeOptions {
  /** The folder; absent: the one that belongs to the cells. */
  readonly output?: string;
  readonly versions: { readonly [name: string]: string };
  /** The command-line words after `agentgym` that requested it. */
  readonly command?: readonly string[];
}

export interface RunAblationOptions extends AblationOptions, Pick<RunCellsOptions, 'runner' | 'listener' | 'share'> {
  /** After this many seconds, running runs stop and stay resumable, and no more begin. */
  readonly budgetSeconds?: number;
  /** Shows the ablation on a server, from its folder; see `trackAblation`. Absent: it goes to no server. */
  readonly track?: (directory: string) => LiveTracking;
  readonly signal: AbortSignal;
}

/**
 * Runs the missing runs of an ablation and compares its cells. It continues an ablation that any process started, and
 * only reads a complete one.
 *
 * @throws the errors of `AblationDirectory.open` and `readCellRun`; a failed cell is part of the result
 */
export async function runAblation(planned: PlannedAblation, options: RunAblationOptions): Promise<AblationResult> {
  const directory = await openDirectory(planned, options);
  const limit = options.budgetSeconds === undefined ? [] : [AbortSignal.timeout(options.budgetSeconds * 1000)];
  const signal = AbortSignal.any([options.signal, ...limit]);
  const live = options.track?.(directory.path);
  try {
    await runCells({ ...options, directory, signal });
    return await summarize(directory, options);
  } finally {
    directory.release();
    await live?.finish(options.signal);
  }
}

/**
 * Writes the missing runs of an ablation as files for a scheduler, and compares the cells that are complete. Runs that a
 * job is training now are left out.
 */
export async function renderAblation(
  planned: PlannedAblation,
  options: AblationOptions & { readonly renderer: Renderer },
): Promise<{ readonly result: AblationResult; readonly rendering: Rendering }> {
  const { cells, folder, seeds } = planned;
  const path = resolve(options.output ?? folder);
  options.renderer.check(runsOf(path, { cells, seeds }), path);
  const directory = await openDirectory(planned, options);
  try {
    const { missing } = await findMissing(directory, directory.runs);
    const waiting = missing.filter(({ run, resume }) => !resume || runOwner(run.directory) === undefined);
    const rendering =
      waiting.length === 0
        ? { files: [], commands: [] }
        : await options.renderer.render(
            waiting.map(({ run }) => run),
            { path: directory.path, id: directory.manifest.id },
          );
    return { result: await summarize(directory, options), rendering };
  } finally {
    directory.release();
  }
}

async function openDirectory(planned: PlannedAblation, options: AblationOptions): Promise<AblationDirectory> {
  const { plan, cells, seeds, folder } = planned;
  refuseTemperature(planned, options.temperature);
  return AblationDirectory.open(options.output ?? folder, plan, cells, seeds, options.versions, options.command);
}

async function summarize(directory: AblationDirectory, options: SummarizeOptions): Promise<AblationResult> {
  const { manifest, path } = directory;
  const result = summarizeCells(path, manifest, await readBegunRuns(path, manifest), options);
  await writeJsonAtomically(join(path, 'result.json'), result);
  return result;
}

/** Every run must have an evaluation at the compared temperature. */
function refuseTemperature({ cells }: PlannedAblation, temperature: number): void {
  const final = cells[0].recipe.evaluation.final.temperatures;
  if (temperature === 0 || final.includes(temperature)) return;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `No run has an evaluation at temperature ${temperature}: \`evaluation.final.temperatures\` is ${final.join(', ')}.`,
    hint: `Add \`--set evaluation.final.temperatures=[0,${temperature}]\`, or compare at one of these temperatures.`,
  });
}
