import type { Recipe } from '../config/recipe-schema.js';
import type { RunPlan } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { allTasks, chooseTasks } from '../rollout/task-order.js';
import type { Splits, TaskList, WorldHandle } from '../rollout/world-handle.js';
import { splitNames } from '../rollout/split-names.js';
import { evaluationRandom } from './evaluation-random.js';
import type { Parts } from './make-parts.js';
import type { SplitTasks, TransferTasks } from '../runs/split-proof.js';

/** For larger splits, only the used tasks are compared. */
const longestList = 1_000_000;

/** The tasks of a run before it draws any, with what knows their clusters. */
export interface KnownTasks {
  readonly tasks: SplitTasks;
  readonly clusters: TaskClusters;
}

/**
 * Every task that a run uses besides those that reinforcement learning will draw, by use, and all tasks of the splits that
 * can be listed.
 *
 * @param purpose `check`: clusters are left out where splits share them, because no proof needs them. A run tells
 * trained from other clusters in its evaluations.
 */
export async function splitTasks(
  plan: RunPlan,
  parts: Pick<Parts, 'environment' | 'demonstrations' | 'prompt'>,
  random: Random,
  purpose: 'check' | 'run' = 'run',
): Promise<KnownTasks> {
  const { world } = parts.environment;
  const asksClusters = purpose === 'run' || !world.sharesClusters;
  const clusters = new TaskClusters(world);
  const demonstrations = new Set([...parts.demonstrations.values()].flatMap(({ facts }) => [...facts.tasks]));
  const held = await heldOutTasks(plan.recipe, world.splits, random);
  const examples = (parts.prompt?.examples?.games ?? []).map(({ task }) => task);
  const used = { demonstrations, rl: [], examples, ...held };
  if (world.splitOf !== undefined) {
    const placed = await placeTasks(world, [...demonstrations, ...examples], [...held.validation, ...held.test]);
    for (const ids of [held.validation, held.test]) await clusters.ask(ids);
    await clusters.tryToAsk([...demonstrations, ...examples]);
    return { tasks: { used, whole: {}, placed, ...clusters.facts() }, clusters };
  }
  const list = async (split: SplitName) => {
    const { count } = world.splits[split];
    return count === 'unbounded' || count > longestList ? {} : { [split]: await allTasks(world.splits[split]) };
  };
  const whole: SplitTasks['whole'] = {
    ...(await list('train')),
    ...(await list('validation')),
    ...(await list('test')),
  };
  if (!asksClusters) return { tasks: { used, whole, sharesClusters: true }, clusters };
  for (const ids of [held.validation, held.test, ...Object.values(whole)]) await clusters.ask(ids);
  await clusters.tryToAsk([...demonstrations, ...examples]);
  return { tasks: { used, whole, ...clusters.facts() }, clusters };
}

/**
 * Tasks by the split in which the world says that they are.
 *
 * @param foreign tasks of files, which the world may not know
 */
async function placeTasks(
  world: WorldHandle,
  foreign: readonly string[],
  own: readonly string[],
): Promise<ReadonlyMap<SplitName, readonly string[]>> {
  const placed = new Map<SplitName, string[]>(splitNames.map((name) => [name, []]));
  for (const [index, split] of ((await world.splitOf?.(own)) ?? []).entries()) {
    const task = own[index] as string;
    if (split === undefined) {
      throw new AgentgymError('AG_SPLIT_LEAK', {
        message: `${world.title} says that its held-out task "${task}" is in no split.`,
        hint: '`splitOf` must know every task of every split. Report it to the author of the plugin.',
      });
    }
    placed.get(split)?.push(task);
  }
  for (const task of foreign) {
    const [split] = (await world.splitOf?.([task]).catch(() => [])) ?? [];
    if (split !== undefined) placed.get(split)?.push(task);
  }
  return placed;
}

/** What training may not draw, and where it is held out. */
export interface HeldOutTasks {
  /** The split of each task, in words. */
  readonly tasks: ReadonlyMap<string, string>;
  /** A task of each cluster. Empty if splits share clusters. */
  readonly clusters: ReadonlyMap<string, { readonly task: string; readonly split: string }>;
  /** Tells the splits of tasks. Absent: the world does not. */
  readonly splitOf?: WorldHandle['splitOf'];
}

/** What is held out from training: validation and test, and what the final evaluation plays with other options. */
export function heldOutOf({ tasks, clusters }: KnownTasks, transfer: readonly TransferTasks[]): HeldOutTasks {
  const { used, whole } = tasks;
  const kin = transfer.filter(({ isKin }) => isKin);
  const parts: readonly (readonly [string, Iterable<string>, (task: string) => string])[] = [
    ...(['validation', 'test'] as const).map(
      (split) =>
        [`the split ${split}`, [...used[split], ...(whole[split] ?? [])], (id: string) => clusters.of(id)] as const,
    ),
    ...kin.map(
      (one) =>
        [`\`evaluation.final.transfer.${one.name}\``, one.ids, (id: string) => one.clusters?.get(id) ?? id] as const,
    ),
  ];
  const isShared = tasks.sharesClusters === true || kin.some(({ sharesClusters }) => sharesClusters === true);
  const held = new Map<string, string>();
  const heldClusters = new Map<string, { task: string; split: string }>();
  for (const [split, ids, clusterOf] of parts) {
    for (const task of ids) {
      held.set(task, split);
      if (!isShared) heldClusters.set(clusterOf(task), { task, split });
    }
  }
  const { splitOf } = clusters;
  return { tasks: held, clusters: heldClusters, ...(splitOf && { splitOf }) };
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
export class TaskClusters {
  readonly #world: WorldHandle;
  readonly #asked = new Set<string>();
  readonly #clusters = new Map<string, string>();

  constructor(world: WorldHandle) {
    this.#world = world;
  }

  /** Tells the splits of tasks. Absent: the world does not. */
  get splitOf(): WorldHandle['splitOf'] {
    return this.#world.splitOf;
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

  /** The cluster of a task that was asked about; the task itself if it has none. */
  of(task: string): string {
    return this.#clusters.get(task) ?? task;
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

/** Whether held-out tasks may belong to clusters that a run trains on. */
export function sharesClusters({ sharesClusters: own }: SplitTasks, transfer: readonly TransferTasks[]): boolean {
  return own === true || transfer.some((other) => other.isKin && other.sharesClusters === true);
}

/** Places that a curriculum is asked for at a time. */
const drawnAtOnce = 1000;

/**
 * The tasks that training will draw, if that is known before: where no curriculum learns from outcomes. At most the first
 * million of a stage.
 */
export async function plannedTasks(
  { funded }: RunPlan,
  { environment, rl }: Pick<Parts, 'environment' | 'rl'>,
): Promise<ReadonlySet<string> | undefined> {
  const { count } = environment.world.splits.train;
  const planned = new Set<string>();
  for (const stage of funded) {
    if (stage.kind !== 'rl') continue;
    const { algorithm, curriculum } = rl.get(stage.name) ?? {};
    if (curriculum === undefined || curriculum.update !== undefined) return undefined;
    // Groups without signal may be replaced by groups of further tasks.
    const rounds = 1 + (algorithm?.refillRounds ?? 0);
    const draws = Math.min(stage.steps * stage.tasksPerStep * rounds, longestList);
    // A bounded split is played in whole rounds, and one round contains all its tasks.
    const places = count === 'unbounded' ? draws : Math.min(draws, count);
    for (let first = 0; first < places; first += drawnAtOnce) {
      const many = Math.min(drawnAtOnce, places - first);
      for (const { task } of await curriculum.choose(first, many, curriculum.initialState)) planned.add(task);
    }
  }
  return planned;
}

/** The clusters that a run trains on so far. */
export function trainedClusters({ tasks: { used }, clusters }: KnownTasks, drawn: Iterable<string>): Set<string> {
  return new Set([...used.demonstrations, ...drawn, ...(used.examples ?? [])].map((id) => clusters.of(id)));
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
