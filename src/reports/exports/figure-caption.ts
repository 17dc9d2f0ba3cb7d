import type { GroupLine } from '../../reporting/chart/group-lines.js';
import type { FigureMetric } from './figure-metric.js';

/** Explains lines and bands, and names the episodes of each point if all lines agree. */
export function captionOf(lines: readonly GroupLine[], metric: FigureMetric): string {
  return [spreadOf(lines), ...runningMean(lines), ...played(lines, metric)].join(' ');
}

function spreadOf(lines: readonly GroupLine[]): string {
  const counts = lines.map(({ runs }) => runs.length);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  if (most === 1) {
    const band = lines.some(({ isInterval }) => isInterval)
      ? 'the band is the 95 % interval, for other tasks.'
      : 'without a band.';
    return `${lines.length === 1 ? 'One run' : 'One seed each'}; ${band}`;
  }
  const seeds = fewest === most ? `${most} seeds` : `${fewest} to ${most} seeds`;
  const thin = lines.some(({ whole }) => whole?.includes(false))
    ? ' The line is thin where some seeds have no value.'
    : '';
  return `Mean over ${seeds}; the band reaches from the lowest seed to the highest.${thin}`;
}

function runningMean(lines: readonly GroupLine[]): string[] {
  const windows = lines.map(({ window }) => window).filter((window) => window > 1);
  if (windows.length === 0) return [];
  const [least, most] = [Math.min(...windows), Math.max(...windows)];
  return [`The lines are running means over ${least === most ? most : `${least} to ${most}`} steps.`];
}

function played(lines: readonly GroupLine[], { temperature }: FigureMetric): string[] {
  if (temperature === undefined) return [];
  const evaluations = lines.flatMap(({ runs }) => runs.flatMap((run) => run.evaluations));
  const onTheWay = evaluations.filter(
    (one) => !one.final && one.environment === undefined && one.temperature === temperature,
  );
  const [what, ...others] = new Set(onTheWay.map(({ split, success }) => `${success.episodes} ${split} episodes`));
  return what === undefined || others.length > 0 ? [] : [`Each evaluation: ${what}.`];
}
