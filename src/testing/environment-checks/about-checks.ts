// Checks of about(): clusters, which intervals and splits use, and labels.
import type { TaskSource, World } from '../../contracts/environment.js';
import { checkTaskFacts } from '../../rollout/check-answers.js';
import { messageOf } from '../../errors/message-of.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { shorten } from '../shorten.js';
import { splitNames, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { listIds } from './task-checks.js';

/** Number of tasks of an unbounded split to ask about. */
const sampled = 2_000;

const tellsNothing = ({ world }: CheckContext): string | undefined =>
  world.about === undefined ? 'the world has no about()' : undefined;

/** The cluster and the labels of a task as text to compare. Sorts the labels, because their order does not matter. */
async function told(world: World, task: string): Promise<string> {
  const { cluster, labels = {} } = checkTaskFacts(await world.about?.(task));
  return JSON.stringify([cluster, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function idsOf(source: TaskSource, { settings }: CheckContext): Promise<string[]> {
  return listIds(source, source.count === 'unbounded' ? Math.min(sampled, settings.ids) : settings.ids);
}

/** Clusters that are in two splits, as sentences. Skips tasks whose about() throws: the check `about` reports them. */
async function sharedClusters(context: CheckContext): Promise<{ clusters: number; shared: string[] }> {
  const { world } = context;
  const owner = new Map<string, { readonly split: string; readonly task: string }>();
  const shared: string[] = [];
  for (const split of splitNames) {
    for (const task of await idsOf(world.splits[split], context)) {
      const cluster = await clusterOf(world, task);
      if (cluster === undefined) continue;
      const first = owner.get(cluster);
      if (first === undefined) owner.set(cluster, { split, task });
      else if (first.split !== split)
        shared.push(
          `${shorten(cluster)} contains ${shorten(first.task)} in ${first.split} and ${shorten(task)} in ${split}`,
        );
      if (shared.length === 5) return { clusters: owner.size, shared };
    }
  }
  return { clusters: owner.size, shared };
}

async function clusterOf(world: World, task: string): Promise<string | undefined> {
  try {
    return checkTaskFacts(await world.about?.(task)).cluster;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return undefined;
  }
}

export const aboutChecks: readonly EnvironmentCheck[] = [
  {
    id: 'about',
    title: 'about() returns data, the same each time and in every world',
    severity: 'error',
    likelyCause: 'clusters are numbered in the order of the calls, or labels are read from a game in progress',
    why: 'Intervals, splits and tables use clusters and labels. If these change, the results of the same run change.',
    cure: 'Make about(task) a pure function of options and task with strings and finite numbers. Do not number clusters by the order of calls.',
    idle: tellsNothing,
    run: async (context) => {
      const other = await context.otherWorld();
      const tasks = new Set(context.sample.map(({ task }) => task));
      for (const split of splitNames) {
        for (const task of await listIds(context.world.splits[split], Math.min(100, context.settings.ids)))
          tasks.add(task);
      }
      const first = new Map<string, string>();
      try {
        for (const task of tasks) first.set(task, await told(context.world, task));
      } catch (error) {
        if (isUnavailable(error)) throw error;
        return [`about(${shorten([...tasks][first.size] ?? '')}): ${messageOf(error)}`];
      }
      const found: string[] = [];
      for (const task of [...tasks].reverse()) {
        for (const [which, world] of Object.entries({ 'a second time': context.world, 'in another world': other })) {
          const again = await told(world, task);
          if (again !== first.get(task))
            found.push(`about(${shorten(task)}) is ${first.get(task)}, but ${which} ${again}`);
          if (found.length === 5) return found;
        }
      }
      return found;
    },
  },
  {
    id: 'clusters-apart',
    title: 'no cluster is in two splits, unless the world declares it',
    severity: 'error',
    likelyCause: 'single tasks are dealt to splits instead of whole clusters; or declare `sharesClusters`',
    why: 'Tasks of one cluster succeed or fail together. Success on held-out tasks would measure memory.',
    cure: 'Assign whole clusters to splits. If a published benchmark shares clusters, declare `sharesClusters: true`.',
    idle: (context) =>
      tellsNothing(context) ??
      (context.world.sharesClusters === true ? 'the world declares that splits share clusters' : undefined),
    run: async (context) => (await sharedClusters(context)).shared.map((shared) => `the cluster ${shared}`),
  },
  {
    id: 'shares-clusters',
    title: 'a world with `sharesClusters` has clusters in more than one split',
    severity: 'warning',
    likelyCause: '`sharesClusters` remained from an earlier split, or about() returns no clusters',
    why: 'Results would be separated into tasks seen and unseen in training, and one of the two would be empty.',
    cure: 'Remove `sharesClusters`, or let about() return the clusters.',
    idle: ({ world }) => (world.sharesClusters === true ? undefined : 'the world does not declare `sharesClusters`'),
    run: async (context) => {
      const { clusters, shared } = await sharedClusters(context);
      return shared.length > 0 ? [] : [`0 of ${clusters} clusters are in more than one split`];
    },
  },
];
