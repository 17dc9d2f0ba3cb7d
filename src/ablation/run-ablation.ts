import { join } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { writeJsonAtomically } from '../runs/durable-files.js';
import { AblationDirectory } from './ablation-directory.js';
import type { PlannedAblation } from './plan-ablation.js';
import { runCells, type RunCellsOptions } from './run-cells.js';
import type { AblationResult } from './ablation-result.js';
import { summarizeAblation, type SummarizeOptions } from './summarize-ablation.js';

export interface RunAblationOptions
  extends SummarizeOptions, Pick<RunCellsOptions, 'workers' | 'listener' | 'share' | 'checksMemory'> {
  /** The folder; absent: the one that belongs to the cells. */
  readonly output?: string;
  /** After this many seconds, running runs stop and stay resumable, and no more begin. */
  readonly budgetSeconds?: number;
  readonly versions: { readonly [name: string]: string };
  /** The command-line words after `agentgym` that requested it. */
  readonly command?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Runs the missing runs of an ablation and compares its cells. It continues an ablation that any process started, and
 * only reads a complete one.
 *
 * @throws the errors of `AblationDirectory.open` and `readCellRun`; a failed cell is part of the result
 */
export async function runAblation(planned: PlannedAblation, options: RunAblationOptions): Promise<AblationResult> {
  const { plan, cells, seeds } = planned;
  refuseTemperature(planned, options.temperature);
  const path = options.output ?? planned.folder;
  const directory = await AblationDirectory.open(path, plan, cells, seeds, options.versions, options.command);
  const limit = options.budgetSeconds === undefined ? [] : [AbortSignal.timeout(options.budgetSeconds * 1000)];
  const signal = AbortSignal.any([options.signal, ...limit]);
  try {
    await runCells({ ...options, directory, signal });
    const result = await summarizeAblation(directory.path, directory.manifest, options);
    await writeJsonAtomically(join(directory.path, 'result.json'), result);
    return result;
  } finally {
    directory.release();
  }
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
