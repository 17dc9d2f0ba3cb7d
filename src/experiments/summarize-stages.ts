import type { Recipe } from '../config/recipe-schema.js';
import type { LoadedRun } from '../runs/load-run.js';
import type { StageSummary } from '../runs/run-result.js';

/**
 * The stages of a run that took at least one step, from its logs. The sums cover all parts of the run, even if it was
 * resumed.
 */
export function summarizeStages({ stages, evaluation }: Recipe, run: LoadedRun): StageSummary[] {
  const { every, split } = evaluation;
  // Without evaluations during training, a resolved recipe has no temperatures for them.
  const temperature = every > 0 && !evaluation.temperatures.includes(0) ? evaluation.temperatures[0] : 0;
  return Object.entries(stages).flatMap(([name, { kind }]): StageSummary[] => {
    const lines = run.metrics.filter(({ stage }) => stage === name);
    const last = lines.at(-1);
    if (last === undefined) return [];
    const seconds = lines.reduce(
      (sum, { metrics }) => sum + (metrics['time/step_seconds'] ?? 0) + (metrics['time/evaluation_seconds'] ?? 0),
      0,
    );
    // The first match is the right one: the final evaluation is logged later for the same step.
    const found = run.evaluations.find(
      (line) =>
        line.stage === name &&
        line.step === last.step &&
        line.player === 'policy' &&
        line.evaluation.environment === undefined &&
        line.evaluation.split === split &&
        line.evaluation.temperature === temperature,
    );
    const ended = every > 0 && found !== undefined ? { evaluation: found.evaluation } : {};
    return [{ name, kind, steps: last.step, seconds, ...ended }];
  });
}
