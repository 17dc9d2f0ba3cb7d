import type { TerminalStyle } from '../reporting/terminal-style.js';
import { trainingReport } from '../reports/training-report.js';
import type { RunResult } from '../runs/run-result.js';
import { runProblems } from './run-problems.js';

/** The final output of `train`: the results and the problems. */
export async function tellTraining(result: RunResult, style: TerminalStyle): Promise<string[]> {
  const problems = result.status === 'completed' ? await runProblems(result.run) : [];
  return trainingReport(result, style, problems);
}
