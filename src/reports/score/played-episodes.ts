import { finalEvaluation } from '../../ablation/read-outcomes.js';
import type { LoadedRun } from '../../runs/load-run.js';

/**
 * Number of episodes that were completed where a log recorded some of them: in the steps of a stage, or in an evaluation at
 * temperature 0. Null if the run does not tell.
 */
export function playedEpisodes(run: LoadedRun, log: string): number | null {
  const player = { 'evaluation.start': 'start', 'evaluation.final': 'policy' }[log];
  if (player !== undefined) {
    const line = finalEvaluation(run, player);
    return line === undefined ? null : line.outcomes.reduce((sum, { attempts }) => sum + attempts.length, 0);
  }
  const steps = run.metrics.filter(({ stage }) => stage === log);
  const counts = steps.flatMap(({ metrics }) => metrics['rollout/episodes'] ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}
