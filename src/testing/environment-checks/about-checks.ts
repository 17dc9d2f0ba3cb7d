// What a world tells of its tasks beside playing them: clusters, on which intervals and splits rest, and labels.
import type { TaskSource, World } from '../../contracts/environment.js';
import { checkTaskFacts } from '../../rollout/check-answers.js';
import { messageOf } from '../../errors/message-of.js';
import { isUnavailable } from '../is-unavailable.js';
import { shorten } from '../shorten.js';
import { splitNames, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { listIds } from './task-checks.js';

/** Tasks of an unbounded split that are asked about. */
const sampled = 2_000;

const tellsNothing = ({ world }: CheckContext): string | undefined =>
  world.about === undefined ? 'it tells nothing of its tasks' : undefined;

/** What is told of a task, as text to compare: axes in order, whichever order they came in. */
async function told(world: World, task: string): Promise<string> {
  const { cluster, labels = {} } = checkTaskFacts(await world.about?.(task));
  return JSON.stringify([cluster, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function idsOf(source: TaskSource, { settings }: CheckContext): Promise<string[]> {
  return listIds(source, source.count === 'unbounded' ? Math.min(sampled, settings.ids) : settings.ids);
}

/** Clusters that stand in two splits, as sentences; what cannot be told is left to the check of what is told. */
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
          `${shorten(cluster)} is of ${shorten(first.task)} in ${first.split} and of ${shorten(task)} in ${split}`,
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
    title: 'what is told of a task is data, and the same each time, in every world',
    severity: 'error',
    likelyCause:
      'clusters numbered in the order in which they were asked for, or labels read from a game that is being played',
    why: 'Intervals, splits and tables rest on clusters and labels: where they change, so do the results of one run.',
    cure: 'Make about(task) a pure function of options and task, with texts and finite numbers; number nothing by its order.',
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
          if (again !== first.get(task)) found.push(`about(${shorten(task)}) is ${first.get(task)}, ${which} ${again}`);
          if (found.length === 5) return found;
        }
      }
      return found;
    },
  },
  {
    id: 'clusters-apart',
    title: 'no cluster stands in two splits, unless the world says so',
    severity: 'error',
    likelyCause: 'tasks that are dealt one by one, where their clusters should be; or say `sharesClusters`',
    why: 'Tasks of one cluster stand or fall together: success on held-out tasks would measure memory.',
    cure: 'Deal whole clusters to the splits; where a benchmark is published with shared ones, say `sharesClusters: true`.',
    idle: (context) =>
      tellsNothing(context) ??
      (context.world.sharesClusters === true ? 'the world says that they are shared' : undefined),
    run: async (context) => (await sharedClusters(context)).shared.map((shared) => `the cluster ${shared}`),
  },
  {
    id: 'shares-clusters',
    title: 'a world that says so does share clusters between its splits',
    severity: 'warning',
    likelyCause: '`sharesClusters` left over from another deal, or clusters that `about` does not tell',
    why: 'Results would be told apart by tasks seen in training and unseen, and one of the two would be empty.',
    cure: 'Leave `sharesClusters` out, or let about() tell the clusters.',
    idle: ({ world }) => (world.sharesClusters === true ? undefined : 'the world does not say so'),
    run: async (context) => {
      const { clusters, shared } = await sharedClusters(context);
      return shared.length > 0 ? [] : [`none of ${clusters} clusters stands in two splits`];
    },
  },
];
