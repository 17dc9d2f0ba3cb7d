import type { Recipe } from '../config/recipe-schema.js';
import type { RunPlan } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { allTasks, chooseTasks } from '../rollout/task-order.js';
import type { Splits, TaskList, WorldHandle } from '../rollout/world-handle.js';
import { splitNames } from '../rollout/split-names.js';
import { evaluationRandom } from './evaluation-random.js';
import { isListed, longestList } from './other-environments.js';
import type { Parts, PlayedEntry } from './make-parts.js';
import { proveEnvironments, type SplitProof, type SplitTasks, type TransferTasks } from '../runs/split-proof.js';
import type { TrainedClusters } from '../runs/trained-clusters.js';

/** The tasks of an environment of a run before any is drawn, with what knows their clusters. */
export interface KnownTasks {
  /** The environment's name in a run of several. */
  readonly entry?: string | undefined;
  /** The environment, whose tasks and clusters keep their meaning with other options. */
  readonly environment: string;
  readonly tasks: SplitTasks;
  readonly clusters: TaskClusters;
}

/** The parts of an environment that tell its tasks. */
type TaskEntry = Pick<PlayedEntry, 'environment' | 'plan' | 'prompt'>;

/**
 * Every task that a run uses besides those that reinforcement learning will draw, by environment and use, and all tasks of
 * the splits that can be listed.
 *
 * @param demonstrations of each stage, of each environment
 * @param purpose `check`: clusters are left out where splits share them, because no proof needs them. A run tells
 * trained from other clusters in its evaluations.
 */
export async function splitTasks(
  plan: RunPlan,
  entries: readonly TaskEntry[],
  demonstrations: Parts['demonstrations'],
  random: Random,
  purpose: 'check' | 'run' = 'run',
): Promise<readonly KnownTasks[]> {
  const known: KnownTasks[] = [];
  for (const [place, { environment, plan: entry, prompt }] of entries.entries()) {
    const { name, world } = environment;
    const learned = [...demonstrations.values()].flatMap((stage) => [...(stage[place]?.facts.tasks ?? [])]);
    const examples = (prompt.examples?.games ?? []).map(({ task }) => task);
    const clusters = new TaskClusters(world);
    const tasks = await tasksOf(plan.recipe, world, clusters, { learned, examples }, random, purpose);
    known.push({ entry: entry.entry, environment: name, tasks, clusters });
  }
  return known;
}

async function tasksOf(
  recipe: Recipe,
  world: WorldHandle,
  clusters: TaskClusters,
  { learned, examples }: { readonly learned: readonly string[]; readonly examples: readonly string[] },
  random: Random,
  purpose: 'check' | 'run',
): Promise<SplitTasks> {
  const asksClusters = purpose === 'run' || !world.sharesClusters;
  const demonstrations = new Set(learned);
  const held = await heldOutTasks(recipe, world.splits, random);
  const used = { demonstrations, rl: [], examples, ...held };
  const foreign = [...demonstrations, ...examples];
  const whole: { [split in SplitName]?: readonly string[] } = {};
  let placed: SplitTasks['placed'];
  if (world.splitOf !== undefined) placed = await placeTasks(world, foreign, [...held.validation, ...held.test]);
  else {
    for (const split of splitNames)
      if (isListed(world.splits[split])) whole[split] = await allTasks(world.splits[split]);
    if (!asksClusters) return { used, whole, sharesClusters: true };
  }
  for (const ids of [held.validation, held.test, ...Object.values(whole)]) await clusters.ask(ids);
  await clusters.tryToAsk(foreign);
  return { used, whole, ...(placed && { placed }), ...clusters.facts() };
}

/**
 * The proof that no training task of a run is held out, in any of its environments.
 *
 * @param drawn tasks of each environment that reinforcement learning drew, in their order. Absent: none yet
 */
export function proveTasks(
  known: readonly KnownTasks[],
  transfer: readonly TransferTasks[],
  drawn: readonly Iterable<string>[] = [],
): SplitProof {
  const tasks = known.map(({ entry, environment, tasks: own, clusters }, place) => {
    const rl = drawn[place];
    return {
      entry,
      environment,
      tasks: rl === undefined ? own : { ...own, used: { ...own.used, rl }, ...clusters.facts() },
    };
  });
  return proveEnvironments(tasks, transfer);
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
  readonly splitOf?: WorldHandle['splitOf'] | undefined;
}

/**
 * What is held out from training in an environment: validation and test of it and of those with the same name, and what the
 * final evaluation plays of it with other options.
 */
export function heldOutOf(
  own: KnownTasks,
  all: readonly KnownTasks[],
  transfer: readonly TransferTasks[],
): HeldOutTasks {
  const others = transfer.filter((other) => other.environment === own.environment);
  const kin = all.filter(({ environment }) => environment === own.environment);
  const parts: readonly (readonly [string, Iterable<string>, (task: string) => string])[] = [
    ...kin.flatMap(({ entry, clusters, tasks: { used, whole } }) =>
      (['validation', 'test'] as const).map((split) => {
        const name = `the split ${split}${entry === undefined ? '' : ` of \`environments.${entry}\``}`;
        return [name, [...used[split], ...(whole[split] ?? [])], (id: string) => clusters.of(id)] as const;
      }),
    ),
    ...others.map(
      (one) =>
        [`\`evaluation.final.transfer.${one.name}\``, one.ids, (id: string) => one.clusters?.get(id) ?? id] as const,
    ),
  ];
  const isShared = sharesClusters(own.environment, all, transfer);
  const held = new Map<string, string>();
  const heldClusters = new Map<string, { task: string; split: string }>();
  for (const [split, ids, clusterOf] of parts) {
    for (const task of ids) {
      held.set(task, split);
      if (!isShared) heldClusters.set(clusterOf(task), { task, split });
    }
  }
  const { splitOf } = own.clusters;
  return { tasks: held, clusters: heldClusters, splitOf };
}

async function heldOutTasks(
  recipe: Recipe,
  splits: Splits,
  random: Random,
): Promise<Record<'validation' | 'test', Set<string>>> {
  const held = { validation: new Set<string>(), test: new Set<string>() };
  const { every, split, tasks, final } = recipe.evaluation;
  const hold = async (name: 'validation' | 'test', count: number | 'all') => {
    for (const id of await evaluatedTasks(recipe, random, splits[name], name, count)) held[name].add(id);
  };
  if (every > 0 && split === 'validation') await hold(split, tasks);
  await hold(final.split, final.tasks);
  return held;
}

/** The clusters of tasks. */
export class TaskClusters {
  readonly #asked = new Set<string>();
  readonly #clusters = new Map<string, string>();

  constructor(private readonly world: WorldHandle) {}

  /** Tells the splits of tasks. Absent: the world does not. */
  get splitOf(): WorldHandle['splitOf'] {
    return this.world.splitOf;
  }

  /** Asks about the tasks that were not asked about before. */
  async ask(tasks: Iterable<string>): Promise<void> {
    if (!this.world.tells) return;
    const ids = [...new Set(tasks)].filter((id) => !this.#asked.has(id));
    if (ids.length === 0) return;
    const told = await this.world.about(ids);
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
    if (!this.world.tells) return {};
    return {
      ...(this.#clusters.size > 0 && { clusters: this.#clusters }),
      ...(this.world.sharesClusters && { sharesClusters: true }),
    };
  }
}

/** Whether held-out tasks of an environment may belong to clusters that a run trains on. */
export function sharesClusters(
  environment: string,
  known: readonly KnownTasks[],
  transfer: readonly TransferTasks[],
): boolean {
  const all = [...known.map((one) => ({ ...one.tasks, environment: one.environment })), ...transfer];
  return all.some((one) => one.environment === environment && one.sharesClusters === true);
}

/** Places that a curriculum is asked for at a time. */
const drawnAtOnce = 1000;

/**
 * The tasks that training will draw in each environment, in their order, if that is known before: where no curriculum learns
 * from outcomes. At most the first million of a stage.
 */
export async function plannedTasks(
  { funded }: RunPlan,
  { entries, rl }: Pick<Parts, 'entries' | 'rl'>,
): Promise<readonly ReadonlySet<string>[] | undefined> {
  const counts = entries.map(({ environment }) => environment.world.splits.train.count);
  const planned = entries.map(() => new Set<string>());
  for (const stage of funded) {
    if (stage.kind !== 'rl') continue;
    const { algorithm, curriculum } = rl.get(stage.name) ?? {};
    if (curriculum === undefined || curriculum.update !== undefined) return undefined;
    // Groups without signal may be replaced by groups of further tasks.
    const rounds = 1 + (algorithm?.refillRounds ?? 0);
    const draws = Math.min(stage.steps * stage.tasksPerStep * rounds, longestList);
    // A bounded split is played in whole rounds, and one round contains all its tasks.
    const [only, ...others] = counts;
    const most = others.length > 0 || only === 'unbounded' || only === undefined ? draws : Math.min(draws, only);
    for (let first = 0; first < most; first += drawnAtOnce) {
      const many = Math.min(drawnAtOnce, most - first);
      for (const { entry, task } of await curriculum.choose(first, many, curriculum.initialState)) {
        planned[entries.findIndex(({ plan }) => plan.entry === entry)]?.add(task);
      }
    }
  }
  return planned;
}

/**
 * The clusters that a run trains on so far, by the names of environments.
 *
 * @param drawn tasks of each environment, in their order
 */
export function trainedClusters(known: readonly KnownTasks[], drawn: readonly Iterable<string>[]): TrainedClusters {
  const trained = new Map<string, Set<string>>();
  for (const [place, { environment, clusters, tasks }] of known.entries()) {
    const own = trained.get(environment) ?? new Set<string>();
    trained.set(environment, own);
    const { demonstrations, examples } = tasks.used;
    for (const id of [...demonstrations, ...(drawn[place] ?? []), ...(examples ?? [])]) own.add(clusters.of(id));
  }
  return trained;
}

/** Every task of the environments that only the final evaluation plays. */
export async function transferTasks(
  { entries, recipe }: RunPlan,
  transfer: readonly Pick<PlayedEntry, 'environment' | 'plan'>[],
  random: Random,
): Promise<readonly TransferTasks[]> {
  const { split, tasks } = recipe.evaluation.final;
  const all: TransferTasks[] = [];
  for (const { environment, plan } of transfer) {
    const { name, world } = environment;
    const ids = await evaluatedTasks(recipe, random, world.splits[split], split, tasks);
    const isKin = entries.some((own) => own.environment.name === name);
    const clusters = new TaskClusters(world);
    await clusters.ask(ids);
    all.push({ name: plan.entry ?? '', environment: name, isKin, split, ids, ...clusters.facts() });
  }
  return all;
}

function evaluatedTasks(recipe: Recipe, random: Random, list: TaskList, split: string, tasks: number | 'all') {
  const count = tasks === 'all' ? Infinity : tasks;
  return chooseTasks(list, count, evaluationRandom(recipe, random).stream('tasks', split));
}
