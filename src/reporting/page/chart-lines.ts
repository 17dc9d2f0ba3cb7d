import type { ChartLine } from '../chart/chart.js';
import { lineOfGroup, type CurveGroup, type LineChoice } from '../chart/group-lines.js';
import type { ReportRun } from '../report-data.js';
import { finalOf } from '../final-success.js';
import type { Panel } from './metric-panels.js';

/** Groups with the highest final success first; groups without a result last, in their order. */
export function bestFirst(groups: readonly CurveGroup[]): CurveGroup[] {
  const rate = ({ runs }: CurveGroup) => {
    const rates = runs.flatMap((run) => finalOf(run)?.success.rate ?? []);
    return rates.length === 0 ? -1 : rates.reduce((sum, one) => sum + one, 0) / rates.length;
  };
  return [...groups].sort((a, b) => rate(b) - rate(a));
}

/** For one run: each metric of a panel as a separate line, and the values behind a running mean. */
export function linesOfRun(run: ReportRun, { metrics }: Panel, choice: LineChoice): ChartLine[] {
  return metrics.flatMap(([name, label], style): ChartLine[] => {
    const line = lineOfGroup({ label, style, runs: [run] }, name, choice);
    if (line === undefined) return [];
    const { measured, ...rest } = line;
    return measured === undefined ? [line] : [{ ...rest, curve: measured, isFaint: true }, line];
  });
}

/** For several runs: one metric, with a line for each group. Intervals of single runs would cover each other. */
export function linesOfGroups(groups: readonly CurveGroup[], { metrics }: Panel, choice: LineChoice): ChartLine[] {
  const name = metrics[0]?.[0] ?? '';
  return groups.flatMap((group): ChartLine[] => {
    const line = lineOfGroup(group, name, choice);
    if (line === undefined) return [];
    return [{ ...line, band: line.isInterval ? undefined : line.band }];
  });
}

const baselines = ['random', 'demonstrator', 'oracle'];

/**
 * If a player's success differs by more between runs, each run played its own sample of tasks. One line would be wrong
 * for most of them.
 */
const sameTasks = 0.05;

/** Whether runs have different final tasks. */
export function playedApart(runs: readonly ReportRun[]): boolean {
  return new Set(runs.map(({ finalTasks }) => finalTasks)).size > 1;
}

/** Success of the players that do not learn, as the mean over runs. None if the runs have different final tasks. */
export function baselineLevels(runs: readonly ReportRun[]): { readonly label: string; readonly y: number }[] {
  if (playedApart(runs)) return [];
  return baselines.flatMap((player) => {
    const rates = runs.flatMap(({ evaluations }) => {
      const found = evaluations.findLast((one) => one.player === player && one.environment === undefined);
      return found === undefined ? [] : [found.success.rate];
    });
    if (rates.length === 0 || Math.max(...rates) - Math.min(...rates) > sameTasks) return [];
    return [{ label: player, y: rates.reduce((sum, rate) => sum + rate, 0) / rates.length }];
  });
}
