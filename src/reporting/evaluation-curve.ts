import type { CurvePoint } from './blocks/block.js';
import type { RunMetricsLine } from '../files/metrics-log.js';

/** A run's evaluations as a curve over its steps, at its lowest temperature. */
export function evaluationCurve(lines: readonly RunMetricsLine[]): CurvePoint[] {
  const temperatures = lines.flatMap(({ metrics }) =>
    Object.keys(metrics).flatMap((name) => /^eval\/t(.+)\/success$/.exec(name)?.[1] ?? []),
  );
  const lowest = [...new Set(temperatures)].sort((a, b) => Number(a) - Number(b))[0];
  return lines.flatMap(({ runStep, metrics }) => {
    const value = metrics[`eval/t${lowest}/success`];
    return value === undefined ? [] : [{ step: runStep, value }];
  });
}
