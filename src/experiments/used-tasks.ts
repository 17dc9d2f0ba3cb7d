import type { Recipe } from '../config/recipe-schema.js';
import type { SplitName, TaskSource, TaskSplits } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import { chooseTasks, taskOrder } from '../rollout/task-order.js';
import { evaluationRandom } from './evaluation-random.js';
import type { Parts } from './make-parts.js';
import type { SplitTasks, TransferTasks } from '../runs/split-proof.js';
import { fundedStages, transferPlans } from './stage-plan.js';

/** The stream of a stage's own randomness. */
export function stageRandom(random: Random, stage: string): Random {
  return random.stream('stage', stage);
}

/** Splits of more tasks are compared by those that are used. */
const longestList = 1_000_000;

/**
 * Every task that a run may touch, by use, and all others of the splits that can be listed. `rl` repeats the draws of `trainReinforcement`, so that the
 * proof covers what is played.
 */
export function splitTasks(recipe: Recipe, parts: Parts, random: Random): SplitTasks {
  const { splits } = parts.environment;
  const demonstrations = new Set(
    [...parts.demonstrations.values()].flatMap(({ demonstrations: all }) => all.flatMap(({ task }) => task ?? [])),
  );
  const used = { demonstrations, rl: drawnTasks(recipe, parts, random), ...heldOutTasks(recipe, splits, random) };
  const list = (split: SplitName) => {
    const { count } = splits[split];
    if (count === 'unbounded' || count > longestList) return {};
    return { [split]: Array.from({ length: count }, (_, index) => splits[split].id(index)) };
  };
  const whole: SplitTasks['whole'] = { ...list('train'), ...list('validation'), ...list('test') };
  const known = [used.rl, used.validation, used.test, ...Object.values(whole)].flatMap((ids) => [...ids]);
  return { used, whole, ...clusteredTasks(splits, [...demonstrations, ...known], new Set(known)) };
}

function drawnTasks(
  recipe: Recipe,
  { environment, rl }: Pick<Parts, 'environment' | 'rl'>,
  random: Random,
): Set<string> {
  const { train } = environment.splits;
  const drawn = new Set<string>();
  for (const [name, stage] of fundedStages(recipe)) {
    if (stage.kind !== 'rl') continue;
    // Groups that say nothing may be replaced by groups of further tasks.
    const rounds = 1 + (rl.get(name)?.algorithm.refillRounds ?? 0);
    const draws = stage.steps * stage.tasksPerStep * rounds;
    // A bounded split is gone through in whole rounds: one round is all of it.
    const places = train.count === 'unbounded' ? draws : Math.min(draws, train.count);
    const taskAt = taskOrder(train, stageRandom(random, name).stream('tasks'));
    for (let place = 0; place < places; place += 1) drawn.add(taskAt(place));
  }
  return drawn;
}

function heldOutTasks(recipe: Recipe, splits: TaskSplits, random: Random): Record<'validation' | 'test', Set<string>> {
  const evaluated = (source: TaskSource, split: string, tasks: number | 'all') =>
    evaluatedTasks(recipe, random, source, split, tasks);
  const held = { validation: new Set<string>(), test: new Set<string>() };
  const { every, split, tasks, final } = recipe.evaluation;
  if (every > 0 && split === 'validation')
    evaluated(splits.validation, split, tasks).forEach((id) => held.validation.add(id));
  evaluated(splits[final.split], final.split, final.tasks).forEach((id) => held[final.split].add(id));
  return held;
}

/** @param known ids that the environment gave; others come from files, and may be of tasks that it does not know */
function clusteredTasks(
  splits: TaskSplits,
  ids: Iterable<string>,
  known: ReadonlySet<string>,
): Pick<SplitTasks, 'clusters' | 'sharesClusters'> {
  if (splits.cluster === undefined) return {};
  const clusters = new Map<string, string>();
  for (const id of ids) {
    try {
      clusters.set(id, splits.cluster(id));
    } catch (error) {
      if (known.has(id)) throw error;
    }
  }
  return { clusters, ...(splits.sharesClusters && { sharesClusters: true }) };
}

/** The clusters that a run trains on; undefined where no environment that it plays shares them with a held-out split, so that there is nothing to tell apart. */
export function trainedClusters(
  { used, clusters, sharesClusters }: SplitTasks,
  transfer: readonly TransferTasks[],
): Set<string> | undefined {
  const isShared = sharesClusters === true || transfer.some((other) => other.isKin && other.sharesClusters === true);
  if (!isShared) return undefined;
  return new Set([...used.demonstrations, ...used.rl].map((id) => clusters?.get(id) ?? id));
}

/** Every task of the other environments that the final evaluation plays. */
export function transferTasks(
  recipe: Recipe,
  parts: Pick<Parts, 'transfer'>,
  random: Random,
): readonly TransferTasks[] {
  const { split, tasks } = recipe.evaluation.final;
  return transferPlans(recipe).flatMap(({ name, environment }): TransferTasks[] => {
    const open = parts.transfer.get(name);
    if (open === undefined) return [];
    const ids = evaluatedTasks(recipe, random, open.splits[split], split, tasks);
    const isKin = environment.name === recipe.environment.name;
    const clustered = clusteredTasks(open.splits, ids, new Set(ids));
    return [{ name, environment: environment.name, isKin, split, ids, ...clustered }];
  });
}

function evaluatedTasks(recipe: Recipe, random: Random, source: TaskSource, split: string, tasks: number | 'all') {
  const count = tasks === 'all' ? Infinity : tasks;
  return chooseTasks(source, count, evaluationRandom(recipe, random).stream('tasks', split));
}
