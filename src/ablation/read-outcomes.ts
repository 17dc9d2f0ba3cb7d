import { environmentNames } from '../config/recipe-entries.js';
import type { Recipe } from '../config/recipe-schema.js';
import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { TaskOutcome } from '../evaluation/task-outcome.js';
import type { LoadedRun } from '../runs/load-run.js';

/** The measure by which cells are compared. */
export type Measure = 'success' | 'return' | 'turns';

/** The final evaluation of one run: the mean over the attempts at each task, and the clusters of related tasks. */
export interface RunOutcomes {
  readonly seed: number;
  readonly values: ReadonlyMap<string, number>;
  readonly clusters: ReadonlyMap<string, string>;
  /** The success of the run's own evaluation, if success is the measure. */
  readonly own?: Pick<EvaluationSummary['success'], 'rate' | 'low' | 'high'>;
  /** Weight of each task. Absent: equal weights. */
  readonly weights?: ReadonlyMap<string, number>;
}

type EvaluatedRun = Pick<LoadedRun, 'manifest' | 'evaluations' | 'result'>;

/**
 * What a player reached on the final tasks of a run at a temperature: the trained policy after training, or another
 * player. Undefined if it has not played them.
 *
 * @param environment one of several; absent: all of training together, or the only one
 */
export function finalEvaluation(
  { evaluations, result }: EvaluatedRun,
  player: string,
  temperature = 0,
  environment?: string,
): LoadedRun['evaluations'][number] | undefined {
  const split = result?.evaluation?.split;
  // The last one, because evaluations during training may use the same split.
  return evaluations.findLast(
    (line) =>
      line.player === player &&
      line.evaluation.environment === environment &&
      line.evaluation.temperature === temperature &&
      (player !== 'policy' || line.evaluation.split === split),
  );
}

/** The same in the form that comparisons use. */
export function readOutcomes(
  run: EvaluatedRun,
  player: string,
  measure: Measure,
  temperature: number,
  environment?: string,
): RunOutcomes | undefined {
  const line = finalEvaluation(run, player, temperature, environment);
  if (line === undefined) return undefined;
  return {
    ...outcomesOfRun(run.manifest.recipe.seed, line.outcomes, measure),
    ...(measure === 'success' && { own: line.evaluation.success }),
  };
}

/** Outcomes in the form that comparisons use. Tasks without a finished attempt are left out. */
export function outcomesOfRun(seed: number, outcomes: readonly TaskOutcome[], measure: Measure): RunOutcomes {
  const played = outcomes.filter(({ attempts }) => attempts.length > 0);
  return {
    seed,
    values: new Map(played.map((outcome) => [outcome.task, valueOf(outcome, measure)])),
    clusters: new Map(played.map(({ task, cluster = task }) => [task, cluster])),
  };
}

/**
 * Names each final task of a recipe with its environment and its split: a task of another environment is a different
 * task, even with the same id.
 */
export function withPlaces({ values, clusters, ...rest }: RunOutcomes, recipe: Recipe): RunOutcomes {
  const place = `${environmentNames(recipe).join('+')}/${recipe.evaluation.final.split}`;
  const named = <T>(map: ReadonlyMap<string, T>) =>
    new Map([...map].map(([task, value]) => [`${place}/${task}`, value]));
  return { ...rest, values: named(values), clusters: named(clusters) };
}

function valueOf({ attempts }: TaskOutcome, measure: Measure): number {
  const sum = attempts.reduce((total, attempt) => total + Number(attempt[measure]), 0);
  return sum / attempts.length;
}
