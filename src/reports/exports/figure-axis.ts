import { isKeyMap, valueAt } from '../../config/recipe-layer.js';
import { timeUnit, type CurveAxis, type CostAxis } from '../../reporting/chart/align-series.js';
import type { ReportData, ReportRun } from '../../reporting/report-data.js';

/** The x axis of a figure: what training has spent so far. */
export interface FigureAxis {
  readonly name: keyof typeof counted | 'units' | 'seconds';
  readonly axis: CurveAxis | CostAxis;
  /** With its unit. */
  readonly title: string;
  /** How many counted units make one unit of the axis. */
  readonly size: number;
  /** Whether only whole numbers exist along it. */
  readonly isWhole: boolean;
}

/** The axes that count, with their titles. */
const counted = {
  step: { axis: 'runStep', title: 'Steps of the run' },
  episodes: { axis: 'cost/episodes', title: 'Episodes played for training' },
  turns: { axis: 'cost/turns', title: 'Turns played for training' },
  tokens: { axis: 'cost/tokens', title: 'Tokens sampled for training' },
} as const;

/** @param by absent: `units` if each of these runs has a budget, otherwise `step` */
export function axisOfFigure(by: FigureAxis['name'] | undefined, runs: ReportData['runs']): FigureAxis {
  const name = by ?? (runs.every(({ series }) => series.metrics['cost/units'] !== undefined) ? 'units' : 'step');
  if (name === 'units') {
    return { name, axis: 'cost/units', title: `Budget spent (${pricesOf(runs)})`, size: 1, isWhole: false };
  }
  if (name === 'seconds') {
    const { unit, size } = timeUnit(Math.max(...runs.map(({ series }) => series.seconds.at(-1) ?? 0)));
    return { name, axis: 'seconds', title: `Work, evaluations included (${unit})`, size, isWhole: false };
  }
  return { name, ...counted[name], size: 1, isWhole: true };
}

/** "units: turn 1, demonstration 2", if all runs with a recorded recipe have the same prices. */
function pricesOf(runs: ReportData['runs']): string {
  const [prices, ...others] = new Set(runs.flatMap(pricesOfRun));
  return prices === undefined || others.length > 0 ? 'units' : `units: ${prices}`;
}

function pricesOfRun({ recipe }: ReportRun): string[] {
  const costs = valueAt(recipe, ['budget', 'costs']);
  if (!isKeyMap(costs)) return [];
  const priced = Object.entries(costs).flatMap(([what, cost]) =>
    typeof cost === 'number' && cost > 0 ? [`${cost} a ${what}`] : [],
  );
  return [priced.join(', ')];
}
