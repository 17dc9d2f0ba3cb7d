import type { Recipe } from '../config/recipe-schema.js';
import type { Random } from '../contracts/random.js';
import type { TaskOutcome } from '../evaluation/task-outcome.js';
import { chooseTasks } from '../rollout/task-order.js';
import type { Splits } from '../rollout/world-handle.js';
import { crossedEstimate } from '../statistics/crossed-estimate.js';
import { detectableEffect } from '../statistics/detectable-effect.js';
import { grouped } from '../statistics/grouped.js';
import { mean } from '../statistics/mean.js';
import { columnShares } from '../statistics/outcome-matrix.js';
import type { PowerMeasure } from './measured.js';

/** Numbers of seeds that users can afford. */
const plannedSeeds = [3, 5] as const;

/** A player's outcomes on some tasks. */
export interface Played extends Pick<PowerMeasure, 'player' | 'split'> {
  readonly outcomes: readonly TaskOutcome[];
}

/**
 * The smallest difference that an ablation on the final tasks can detect. Two separately trained cells differ on a
 * cluster by at most the sum of their variances between clusters; each variance is taken from the given outcomes. One
 * seed does not show the variance between seeds, so it is left out, and the real number is larger.
 *
 * @param finalTasks ids of the final evaluation's tasks
 * @returns undefined if the outcomes do not vary between at least two clusters
 */
export function measurePower(
  { player, split, outcomes }: Played,
  finalTasks: readonly string[],
  cluster: (task: string) => string,
): PowerMeasure | undefined {
  const groups = grouped(
    outcomes.filter(({ attempts }) => attempts.length > 0),
    (outcome) => outcome.cluster ?? cluster(outcome.task),
  );
  if (groups.length < 2 || finalTasks.length === 0) return undefined;
  const means = groups.map((group) => mean(group.map(successOf)));
  const { mean: success, components } = crossedEstimate(
    [means],
    groups.map(({ length }) => length),
  );
  if (components.task === 0) return undefined;
  const sizes = grouped(finalTasks, cluster).map(({ length }) => length);
  const { effective: clusters } = columnShares([sizes], sizes);
  const ofSeeds = (seeds: number) =>
    detectableEffect({ seeds, tasks: clusters, components: { seed: 0, task: 0, rest: 2 * components.task } });
  return {
    player,
    split,
    played: groups.flat().length,
    success,
    tasks: finalTasks.length,
    clusters,
    detectable: Object.fromEntries(plannedSeeds.map((seeds) => [String(seeds), ofSeeds(seeds)])),
  };
}

/** The tasks of a recipe's final evaluation. */
export function finalTasksOf(
  { evaluation: { final } }: Recipe,
  splits: Splits,
  random: Random,
): Promise<readonly string[]> {
  return chooseTasks(splits[final.split], final.tasks === 'all' ? Infinity : final.tasks, random);
}

function successOf({ attempts }: TaskOutcome): number {
  return mean(attempts.map(({ success }) => Number(success)));
}
