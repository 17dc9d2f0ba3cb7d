import { finalEvaluation } from '../ablation/read-outcomes.js';
import type { Recipe } from '../config/recipe-schema.js';
import type { RunMetricsLine } from '../files/metrics-log.js';
import { pairedTInterval } from '../statistics/t-interval.js';
import { healthRules, initialHealth, watchHealth } from '../training/health-rules.js';
import type { LoadedRun } from '../runs/load-run.js';
import { comparePlayers, finite } from '../reports/report-comparisons.js';
import type { PairedGain, RateOnTasks, RunMeasure } from './measured.js';

/** Number of first steps whose means describe the start of a stage, as in `health-rules.ts`. */
const earlySteps = 5;
/** Last share of a stage whose means describe its end. */
export const lateShare = 0.25;

type FinalEvaluation = LoadedRun['evaluations'][number];

/** Measurements from a run's log and evaluations. Undefined if no step of reinforcement learning was logged. */
export function measureRun(run: LoadedRun): RunMeasure | undefined {
  const lines = rlLines(run);
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const late = lines.slice(-Math.max(1, Math.ceil(lateShare * lines.length)));
  const early = lines.slice(0, earlySteps);
  const { recipe } = run.manifest;
  const { temperature } = recipe.policy.sampling;
  const [final, start] = (['policy', 'start'] as const).map((player) => finalEvaluation(run, player));
  return {
    stage: last.stage,
    steps: lines.length,
    early: means(early),
    late: means(late),
    earlySteps: early.length,
    lateSteps: late.length,
    warnings: replayHealth(lines),
    clippedGradients: clippedGradients(lines, recipe, last.stage),
    final: final && rateOf(final),
    start: start && rateOf(start),
    gain: gainOver(run, 'start'),
    gainAsTrained: gainOver(run, 'start', 'policy', temperature),
    rise: riseOf(lines, late.length),
    overRandom: gainOver(run, 'random'),
    unchanged: start && final && unchangedShare(start, final),
    asTrained: run.result?.evaluations.find((evaluation) => evaluation.temperature === temperature)?.success,
  };
}

/** The log of the last stage of reinforcement learning. */
export function rlLines({ manifest, metrics }: LoadedRun): readonly RunMetricsLine[] {
  const { stages } = manifest.recipe;
  const stage = metrics.findLast((line) => stages[line.stage]?.kind === 'rl')?.stage;
  return metrics.filter((line) => line.stage === stage);
}

/** Means of every metric over the lines that have it. */
function means(lines: readonly RunMetricsLine[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const [name, value] of lines.flatMap(({ metrics }) => Object.entries(metrics))) {
    if (!Number.isFinite(value) || name.startsWith('time/')) continue;
    const entry = sums.get(name) ?? { sum: 0, count: 0 };
    sums.set(name, { sum: entry.sum + value, count: entry.count + 1 });
  }
  return Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
}

/** With fewer steps per quarter, the interval of the difference is too uncertain. */
const leastQuarter = 5;

function riseOf(lines: readonly RunMetricsLine[], quarter: number): RunMeasure['rise'] {
  const successes = lines.flatMap(({ metrics }) => metrics['rollout/success'] ?? []);
  if (quarter < leastQuarter || successes.length < 2 * quarter) return undefined;
  const before = successes.slice(-2 * quarter, -quarter);
  return finite(pairedTInterval(before, successes.slice(-quarter)));
}

/** Applies the health rules of training to the log, so that runs from before these rules are covered too. */
function replayHealth(lines: readonly RunMetricsLine[]): RunMeasure['warnings'] {
  let state = initialHealth;
  const told: RunMeasure['warnings'][number][] = [];
  for (const { step, metrics } of lines) {
    const before = state.runs;
    const next = watchHealth(state, metrics, healthRules);
    const rules = healthRules.filter(({ id }) => next.state.runs[id] === -1 && before[id] !== -1);
    rules.forEach(({ id }, index) => told.push({ rule: id, step, message: next.warnings[index] ?? '' }));
    state = next.state;
  }
  return told;
}

function clippedGradients(lines: readonly RunMetricsLine[], recipe: Recipe, stage: string): number | undefined {
  const clipNorm = recipe.stages[stage]?.optimizer.clipNorm ?? 0;
  const norms = lines.flatMap(({ metrics }) => metrics['train/gradient_norm'] ?? []);
  if (clipNorm === 0 || norms.length === 0) return undefined;
  return norms.filter((norm) => norm > clipNorm).length / norms.length;
}

function rateOf({ evaluation, outcomes }: FinalEvaluation): RateOnTasks {
  return { rate: evaluation.success.rate, tasks: outcomes.filter(({ attempts }) => attempts.length > 0).length };
}

/**
 * One player's success minus another's, paired over the final tasks; absent if one has not played them. A policy plays
 * at `temperature`.
 */
export function gainOver(run: LoadedRun, other: string, player = 'policy', temperature = 0): PairedGain | undefined {
  const [compared] = comparePlayers(run, [[other, player]], temperature);
  return compared && { difference: finite(compared.difference), tasks: compared.tasks };
}

function unchangedShare(before: FinalEvaluation, after: FinalEvaluation): number | undefined {
  const others = new Map(before.outcomes.map(({ task, attempts }) => [task, attempts]));
  const pairs = after.outcomes.flatMap(({ task, attempts: second }) => {
    const first = others.get(task) ?? [];
    return first.length === 0 || second.length === 0 ? [] : [[JSON.stringify(first), JSON.stringify(second)]];
  });
  return pairs.length === 0 ? undefined : pairs.filter(([first, second]) => first === second).length / pairs.length;
}
