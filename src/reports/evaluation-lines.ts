import type { PolicyEvaluation } from '../experiments/evaluate-policy.js';
import { formatBytes, formatCount, formatSeconds } from '../reporting/format-quantity.js';
import { intervalNote, labelLines, resultsTable } from '../reporting/results-table.js';
import type { TerminalStyle } from '../reporting/terminal-style.js';

/** The result of `agentgym evaluate` for a reader: the table of all players, and what the policy cost. */
export function evaluationLines(result: PolicyEvaluation, policy: string, style: TerminalStyle): string[] {
  const { baselines, evaluation, textModel, time } = result;
  const rows = [
    ...Object.entries(baselines)
      .filter(([name]) => name !== policy)
      .map(([name, summary]) => ({ name, evaluation: summary })),
    { name: result.policy, evaluation, emphasis: true },
  ];
  const { attempts } = evaluation;
  const rate = time.tokensPerSecond;
  const spent = [
    formatSeconds(time.seconds),
    ...(rate === undefined ? [] : [`${formatCount(rate)} tokens/s`]),
    `at most ${formatBytes(time.peakBytes)} of memory`,
  ];
  const used = Object.entries(textModel?.usage ?? {}).map(([what, count]) => `${what} ${count}`);
  return [
    ...resultsTable(rows, style),
    intervalNote(rows),
    ...labelLines(rows, style),
    ...(attempts === undefined
      ? []
      : [`avg@${attempts.k} ${attempts.avg.toFixed(3)}, pass@${attempts.k} ${attempts.pass.toFixed(3)}`]),
    `${result.policy} played for ${spent.join(', ')}`,
    ...(used.length > 0 ? [`Used: ${used.join(', ')}`] : []),
  ];
}
