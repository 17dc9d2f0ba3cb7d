import { startOf, type CurveGroup } from '../chart/group-lines.js';
import type { ReportData } from '../report-data.js';
import { playedApart } from './chart-lines.js';
import type { ChartOptions } from './chart-options.js';

/** Explains what is drawn in these charts, and nothing that is not. */
export function explainCurves(
  kind: ReportData['kind'],
  groups: readonly CurveGroup[],
  charts: readonly ChartOptions[],
): string {
  const lines = charts.flatMap((chart) => chart.lines);
  const isSmoothed = lines.some(({ measured }) => measured !== undefined);
  const hasBand = lines.some(({ band }) => band !== undefined);
  const sentences =
    kind === 'run'
      ? [
          hasBand && 'Bands around evaluations are 95 % intervals.',
          isSmoothed && 'Thin lines are single steps, thick lines running means.',
        ]
      : [...seedSentences(groups), isSmoothed && 'Curves of many steps are running means.'];
  const numbers = groups.some(({ runs }) => runs.length > 1) ? 'means of the last values' : 'last values';
  return [
    ...sentences,
    `Numbers next to names are ${numbers}${isSmoothed ? ', not smoothed' : ''}.`,
    ...markSentences(charts),
    ...taskSentences(groups, charts),
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

function seedSentences(groups: readonly CurveGroup[]): (string | false)[] {
  if (groups.every(({ runs }) => runs.length < 2)) return ['The curves have no band, because each has one seed.'];
  const isUneven = groups.some(({ runs }) => new Set(runs.map(({ series }) => series.runStep.at(-1))).size > 1);
  return [
    'Each curve is the mean over seeds; its band reaches from the lowest seed to the highest.',
    isUneven && 'Where a seed has ended, the line is thin: it is the mean of the others.',
  ];
}

function markSentences([first]: readonly ChartOptions[]): string[] {
  const labels = first?.marks.map(({ label }) => label) ?? [];
  if (labels.length === 0) return [];
  const isSplit = new Set(labels).size < labels.length;
  return [`A dashed line marks the start of a stage${isSplit ? ', at each step where runs begin it' : ''}.`];
}

/** Which tasks are played: evaluations during training, the final evaluation and the baselines may differ. */
function taskSentences(groups: readonly CurveGroup[], charts: readonly ChartOptions[]): (string | false)[] {
  const runs = groups.flatMap((group) => group.runs);
  const splits = [...new Set(runs.flatMap(({ evaluations }) => evaluations.find(({ final }) => final)?.split ?? []))];
  const place = `the ${splits.join(' and ')} ${splits.length > 1 ? 'splits' : 'split'}`;
  const curves = runs.flatMap((run) => Object.keys(run.series.metrics).map((name) => ({ run, name })));
  const evaluated = curves.filter(({ name }) => name.startsWith('eval/'));
  return [
    evaluated.length > 0 &&
      splits.length > 0 &&
      `Evaluations during training may play other tasks than the final one on ${place}.`,
    charts.some(({ levels }) => levels.length > 0) && 'Horizontal lines are baselines of the final evaluation.',
    playedApart(runs) &&
      'Baselines are not drawn, because the runs were tested on different splits or in different environments.',
    evaluated.some(({ run, name }) => startOf(run, name) !== undefined) &&
      `The first point of success is the policy before RL, on ${place}.`,
  ];
}
