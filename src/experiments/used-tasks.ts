import type { Recipe } from '../config/recipe-schema.js';
import type { RunPlan } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import { allTasks, chooseTasks, taskOrder } from '../rollout/task-order.js';
import type { Splits, TaskList, WorldHandle } from '../rollout/world-handle.js';
import { evaluationRandom } from './evaluation-random.js';
import type { Parts } from './make-parts.js';
import type { SplitTasks, TransferTasks } from '../runs/split-proof.js';

/** A separate random stream for a stage. */
export function stageRandom(random: Random, stage: string): Random {
  return random.stream('stage', stage);
}

/** For larger splits, only the used tasks are compared. */
const longestList = 1_000_000;

/** Drawn tasks that are asked for at a time. */
const drawnAtOnce = 1000;

/**
 * Every task that a run may use, by use, and all tasks of the splits that can be listed. `rl` repeats the draws of
 * `trainReinforcement`, so that the proof covers the played tasks.
 *
 * @param purpose `check`: clusters are left out where splits share them, because no proof needs them. A run tells
 * trained from other clusters in its evaluations.
 */
export async function splitTasks(
  plan: RunPlan,
  parts: Pick<Parts, 'environment' | 'rl' | 'demonstrations' | 'prompt'>,
  random: Random,
  purpose: 'check' | 'run' = 'run',
): Promise<SplitTasks> {
  const { world } = parts.environment;
  const asksClusters = purpose === 'run' || !world.sharesClusters;
  const clusters = new TaskClusters(world);
  const demonstrations = new Set([...parts.demonstrations.values()].flatMap(({ facts }) => [...facts.tasks]));
  const held = await heldOutTasks(plan.recipe, world.splits, random);
  const rl = new Set<string>();
  for await (const ids of drawnTasks(plan, parts, random)) {
    for (const id of ids) rl.add(id);
    // Now, because a world that has just made a task to list it still knows it.
    if (asksClusters) await clusters.ask(ids);
  }
  const examples = (parts.prompt?.examples?.games ?? []).map(({ task }) => task);
  const used = { demonstrations, rl, examples, ...held };
  const list = async (split: SplitName) => {
    const { count } = world.splits[split];
    return count === 'unbounded' || count > longestList ? {} : { [split]: await allTasks(world.splits[split]) };
  };
  const whole: SplitTasks['whole'] = {
    ...(await list('train')),
    ...(await list('validation')),
    ...(await list('test')),
  };
  if (!asksClusters) return { used, whole, sharesClusters: true };
  for (const ids of [held.validation, held.test, ...Object.values(whole)]) await clusters.ask(ids);
  await clusters.tryToAsk([...demonstrations, ...examples]);
  return { used, whole, ...clusters.facts() };
}

/** The tasks that reinforcement learning draws, some at a time; a task may come several times. */
async function* drawnTasks(
  { funded }: RunPlan,
  { environment, rl }: Pick<Parts, 'environment' | 'rl'>,
  random: Random,
): AsyncGenerator<readonly string[]> {
  const { train } = environment.world.splits;
  for (const stage of funded) {
    if (stage.kind !== 'rl') continue;
    const { name } = stage;
    // Groups without signal may be replaced by groups of further tasks.
    const rounds = 1 + (rl.get(name)?.algorithm.refillRounds ?? 0);
    // For an unbounded split, the proof covers the first million tasks. More would take longer than most of the
    // training.
    const draws = Math.min(stage.steps * stage.tasksPerStep * rounds, longestList);
    // A bounded split is played in whole rounds, and one round contains all its tasks.
    const places = train.count === 'unbounded' ? draws : Math.min(draws, train.count);
    const tasksAt = taskOrder(train, stageRandom(random, name).stream('tasks'));
    for (let first = 0; first < places; first += drawnAtOnce) {
      yield await tasksAt(first, Math.min(drawnAtOnce, places - first));
    }
  }
}

async function heldOutTasks(
  recipe: Recipe,
  splits: Splits,
  random: Random,
): Promise<Record<'validation' | 'test', Set<string>>> {
  const held = { validation: new Set<string>(), test: new Set<string>() };
  const { every, split, tasks, final } = recipe.evaluation;
  const evaluated = (name: 'validation' | 'test', count: number | 'all') =>
    evaluatedTasks(recipe, random, splits[name], name, count);
  if (every > 0 && split === 'validation') {
    for (const id of await evaluated('validation', tasks)) held.validation.add(id);
  }
  for (const id of await evaluated(final.split, final.tasks)) held[final.split].add(id);
  return held;
}

/** The clusters of tasks. */
class TaskClusters {
  readonly #world: WorldHandle;
  readonly #asked = new Set<string>();
  readonly #clusters = new Map<string, string>();

  constructor(world: WorldHandle) {
    this.#world = world;
  }

  /** Asks about the tasks that were not asked about before. */
  async ask(tasks: Iterable<string>): Promise<void> {
    if (!this.#world.tells) return;
    const ids = [...new Set(tasks)].filter((id) => !this.#asked.has(id));
    if (ids.length === 0) return;
    const told = await this.#world.about(ids);
    for (const [index, id] of ids.entries()) {
      this.#asked.add(id);
      const { cluster } = told[index] ?? {};
      if (cluster !== undefined) this.#clusters.set(id, cluster);
    }
  }

  /** Asks about tasks of files: unknown ids have no cluster. */
  async tryToAsk(tasks: Iterable<string>): Promise<void> {
    for (const id of tasks) await this.ask([id]).catch(() => undefined);
  }

  facts(): Pick<SplitTasks, 'clusters' | 'sharesClusters'> {
    if (!this.#world.tells) return {};
    return {
      ...(this.#clusters.size > 0 && { clusters: this.#clusters }),
      ...(this.#world.sharesClusters && { sharesClusters: true }),
    };
  }
}

/** The training clusters of a run; undefined if no environment shares clusters with a held-out split. */
export function trainedClusters(
  { used, clusters, sharesClusters }: SplitTasks,
  transfer: readonly TransferTasks[],
): Set<string> | undefined {
  const isShared = sharesClusters === true || transfer.some((other) => other.isKin && other.sharesClusters === true);
  if (!isShared) return undefined;
  return new Set([...used.demonstrations, ...used.rl, ...(used.examples ?? [])].map((id) => clusters?.get(id) ?? id));
}

/** Every task of the other environments that the final evaluation plays. */
export async function transferTasks(
  { recipe, transfer }: RunPlan,
  parts: Pick<Parts, 'transfer'>,
  random: Random,
): Promise<readonly TransferTasks[]> {
  const { split, tasks } = recipe.evaluation.final;
  const all: TransferTasks[] = [];
  for (const { name, environment } of transfer) {
    const world = parts.transfer.get(name)?.world;
    if (world === undefined) continue;
    const ids = await evaluatedTasks(recipe, random, world.splits[split], split, tasks);
    const isKin = environment.name === recipe.environment.name;
    const clusters = new TaskClusters(world);
    await clusters.ask(ids);
    all.push({ name, environment: environment.name, isKin, split, ids, ...clusters.facts() });
  }
  return all;
}

function evaluatedTasks(recipe: Recipe, random: Random, list: TaskList, split: string, tasks: number | 'all') {
  const count = tasks === 'all' ? Infinity : tasks;
  return chooseTasks(list, count, evaluationRandom(recipe, random).stream('tasks', split));
}
