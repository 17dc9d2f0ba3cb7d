import { AgentgymError } from '../errors/agentgym-error.js';
import { terminalLines } from '../reporting/terminal-blocks.js';
import { estimateBlocks } from './ablation-lines.js';
import { estimateCells, pilotShare } from './estimate-cells.js';
import type { PlannedAblation } from './plan-ablation.js';

/** An ablation is estimated before it starts if its pilots are at most this share of its steps. */
const smallShare = 0.02;

/** Tells how long a long ablation will take. A short one is over before its estimate would be worth its time. */
export async function tellDuration(
  planned: Pick<PlannedAblation, 'cells' | 'plans' | 'seeds'>,
  workers: number,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { cells, seeds } = planned;
  if (pilotShare(cells, seeds.length) > smallShare) return;
  tell('Trains a few steps first, to see how long everything will take.');
  try {
    const blocks = estimateBlocks(await estimateCells(planned, signal), seeds.length, workers);
    for (const line of terminalLines(blocks, { width: Infinity, colour: false })) tell(line);
  } catch (error) {
    // The ablation itself tells which cell fails, and goes on with the others.
    if (!(error instanceof AgentgymError) || error.code !== 'AG_ABLATION_PILOT') throw error;
    tell(`There is no estimate. ${error.message}`);
  }
  tell('');
}
