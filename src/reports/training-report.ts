import { compareGames } from '../reporting/compare-games.js';
import type { TerminalStyle } from '../reporting/terminal-style.js';
import { loadRun } from '../runs/load-run.js';
import { referenceTo } from '../runs/resolve-run.js';
import { resultLines } from './result-lines.js';
import type { RunResult } from '../runs/run-result.js';
import { sampleGames } from './sample-games.js';
import { spentLine } from './spent-line.js';

/** The final output of `train`: the curve, the table of players, one game before and after, and the next command. */
export async function trainingReport(
  result: RunResult,
  style: TerminalStyle,
  problems: readonly string[],
): Promise<string[]> {
  const { run, status } = result;
  const { metrics, manifest } = await loadRun(run);
  const lines = resultLines(result, metrics, style);
  const games = await sampleGames(run);
  if (games !== undefined && status === 'completed') {
    const { before, after } = games;
    lines.push('', `Task ${after.task}:`);
    lines.push(...compareGames({ title: 'before RL', episode: before }, { title: 'trained', episode: after }, style));
  }
  const next = `agentgym ${status === 'completed' ? 'evaluate' : 'train --resume'} ${referenceTo(run, manifest.id)}`;
  const spent = spentLine(result.spent);
  return [
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    ...problems,
    ...(spent === '' ? [] : [`Spent: ${spent}`]),
    `Run ${status}: ${run}`,
    `Next: ${next}`,
  ];
}
