import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { RunResult } from '../runs/run-result.js';
import type { MetricPoint } from './mlflow-run.js';

/**
 * The evaluations before reinforcement learning and after the last stage, as points named
 * `evaluation/SPLIT[/ENVIRONMENT]/PLAYER[/tTEMPERATURE]/MEASURE`. Those during training are in `metrics.jsonl`, as
 * `eval/...`, with the same measures.
 *
 * @param timestamp of all points: the end of the run, in milliseconds since 1970
 */
export function evaluationPoints(result: RunResult, timestamp: number): MetricPoint[] {
  const { stages, starts, evaluations, baselines, environments = {} } = result;
  const end = stages.reduce((sum, { steps }) => sum + steps, 0);
  const firstRl = stages.findIndex(({ kind }) => kind === 'rl');
  const start = stages.slice(0, Math.max(0, firstRl)).reduce((sum, { steps }) => sum + steps, 0);
  const points = (player: string, summary: EvaluationSummary, step: number, temperature = true): MetricPoint[] => {
    const place = [summary.split, summary.environment, player, temperature && `t${summary.temperature}`];
    const prefix = place.filter((part) => typeof part === 'string').join('/');
    return Object.entries(measuresOf(summary)).map(([name, value]) => ({
      name: `evaluation/${prefix}/${name}`,
      value,
      step,
      timestamp,
    }));
  };
  const { start: _, ...players } = baselines;
  const ofPlayers = (all: { readonly [player: string]: EvaluationSummary }) =>
    Object.entries(all).flatMap(([player, summary]) => points(player, summary, end, false));
  return [
    ...starts.flatMap((summary) => points('start', summary, start)),
    ...evaluations.flatMap((summary) => points('policy', summary, end)),
    ...ofPlayers(players),
    ...Object.values(environments).flatMap((one) => [
      ...one.evaluations.flatMap((summary) => points('policy', summary, end)),
      ...ofPlayers(one.baselines),
    ]),
  ];
}

/** Rates are in 0..1, with the ends of their 95 % intervals. */
function measuresOf({ success, return: reward, turns, truncated, invalid, failed }: EvaluationSummary) {
  return {
    success: success.rate,
    success_low: success.low,
    success_high: success.high,
    return_mean: reward.mean,
    return_low: reward.low,
    return_high: reward.high,
    turns_mean: turns.mean,
    truncated,
    invalid,
    failed,
  };
}
