import type { Recipe } from '../config/recipe-schema.js';
import type { Random } from '../contracts/random.js';
import { chooseTasks, taskOrder } from '../rollout/task-order.js';
import type { TaskList } from '../rollout/world-handle.js';
import { evaluationRandom } from './evaluation-random.js';
import type { Parts } from './make-parts.js';
import type { TaskUse, TransferTasks } from '../runs/split-proof.js';
import { fundedStages, transferPlans } from './stage-plan.js';

/** The stream of a stage's own randomness. */
export function stageRandom(random: Random, stage: string): Random {
  return random.stream('stage', stage);
}

/** Every task that a run may touch, by use. `rl` repeats the draws of `trainReinforcement`, so that the proof covers what is played. */
export async function usedTasks(
  recipe: Recipe,
  parts: Parts,
  random: Random,
): Promise<{ readonly [use in TaskUse]: Set<string> }> {
  const { splits } = parts.environment.world;
  const rl = new Set<string>();
  for (const [name, stage] of fundedStages(recipe)) {
    if (stage.kind !== 'rl') continue;
    const draws = stage.steps * stage.tasksPerStep;
    // A bounded split is gone through in whole rounds: one round is all of it.
    const places = splits.train.count === 'unbounded' ? draws : Math.min(draws, splits.train.count);
    const tasksAt = taskOrder(splits.train, stageRandom(random, name).stream('tasks'));
    for (const task of await tasksAt(0, places)) rl.add(task);
  }
  const evaluated = (source: TaskList, split: string, tasks: number | 'all') =>
    evaluatedTasks(recipe, random, source, split, tasks);
  const held: Record<'validation' | 'test', Set<string>> = { validation: new Set(), test: new Set() };
  const { every, split, tasks, final } = recipe.evaluation;
  if (every > 0 && split === 'validation') {
    for (const id of await evaluated(splits.validation, split, tasks)) held.validation.add(id);
  }
  for (const id of await evaluated(splits[final.split], final.split, final.tasks)) held[final.split].add(id);
  return {
    demonstrations: new Set(
      [...parts.demonstrations.values()].flatMap(({ demonstrations }) =>
        demonstrations.flatMap(({ task }) => task ?? []),
      ),
    ),
    rl,
    ...held,
  };
}

/** Every task of the other environments that the final evaluation plays. */
export async function transferTasks(
  recipe: Recipe,
  parts: Pick<Parts, 'transfer'>,
  random: Random,
): Promise<readonly TransferTasks[]> {
  const { split, tasks } = recipe.evaluation.final;
  const all: TransferTasks[] = [];
  for (const { name, environment } of transferPlans(recipe)) {
    const world = parts.transfer.get(name)?.world;
    if (world === undefined) continue;
    const ids = await evaluatedTasks(recipe, random, world.splits[split], split, tasks);
    all.push({ name, environment: environment.name, isKin: environment.name === recipe.environment.name, split, ids });
  }
  return all;
}

function evaluatedTasks(recipe: Recipe, random: Random, source: TaskList, split: string, tasks: number | 'all') {
  const count = tasks === 'all' ? Infinity : tasks;
  return chooseTasks(source, count, evaluationRandom(recipe, random).stream('tasks', split));
}
