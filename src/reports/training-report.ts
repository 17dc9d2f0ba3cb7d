import { spentText } from '../reporting/blocks/tell-costs.js';
import { compareGames } from '../reporting/compare-games.js';
import { terminalLines } from '../reporting/terminal-blocks.js';
import type { TerminalStyle } from '../reporting/terminal-style.js';
import { taskName } from '../rollout/task-name.js';
import { loadRun } from '../runs/load-run.js';
import { referenceTo } from '../runs/resolve-run.js';
import { runResultBlocks } from './result-blocks.js';
import type { RunResult } from '../runs/run-result.js';
import { sampleGames } from './sample-games.js';

/** The final output of `train`: the curve, the table of players, one game before and after, and the next command. */
export async function trainingReport(
  result: RunResult,
  style: TerminalStyle,
  problems: readonly string[],
): Promise<string[]> {
  const { run, status } = result;
  const loaded = await loadRun(run);
  const lines = terminalLines(runResultBlocks(loaded), style);
  const games = await sampleGames(run);
  if (games !== undefined && status === 'completed') {
    const { before, after } = games;
    lines.push('', `Task ${taskName(after)}:`);
    lines.push(...compareGames({ title: 'before RL', episode: before }, { title: 'trained', episode: after }, style));
  }
  const next = `agentgym ${status === 'completed' ? 'evaluate' : 'train --resume'} ${referenceTo(run, loaded.manifest.id)}`;
  const spent = spentText({ ...result.spent });
  return [
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    ...problems,
    ...(spent === '' ? [] : [`Spent: ${spent}`]),
    `Run ${status}: ${run}`,
    `Next: ${next}`,
  ];
}
