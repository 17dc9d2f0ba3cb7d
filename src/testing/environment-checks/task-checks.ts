import type { TaskSource } from '../../contracts/environment.js';
import { splitNames, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { shorten } from '../shorten.js';

/** Ids of a split: all of them where it is bounded and small enough, else an even sample. */
function listIds(source: TaskSource, limit: number): string[] {
  const count = source.count === 'unbounded' ? limit : source.count;
  const taken = Math.min(count, limit);
  return Array.from({ length: taken }, (_, index) => source.id(Math.floor((index * count) / taken)));
}

const isBounded = (source: TaskSource, context: CheckContext): boolean =>
  source.count !== 'unbounded' && source.count <= context.settings.ids;

export const taskChecks: readonly EnvironmentCheck[] = [
  {
    id: 'task-ids-stable',
    title: 'the same options give the same tasks in the same order',
    severity: 'error',
    likelyCause:
      'ids that come from a directory listing, a clock, a set in hash order, or a generator that moves on with each call',
    run: (context) => {
      const [first, second] = [context.tasks(), context.tasks()];
      return splitNames.flatMap((split) => {
        if (first[split].count !== second[split].count) return [`${split} changes its count between two calls`];
        const before = listIds(first[split], context.settings.ids);
        const again = listIds(second[split], context.settings.ids);
        const index = before.findIndex((id, at) => id !== again[at]);
        return index < 0
          ? []
          : [`${split} task ${index} is ${shorten(before[index] ?? '')}, then ${shorten(again[index] ?? '')}`];
      });
    },
  },
  {
    id: 'task-ids-unique',
    title: 'no task stands twice in a split',
    severity: 'error',
    likelyCause:
      'an index that is taken modulo the number of tasks, or an id that leaves out part of what makes the task',
    run: (context) => {
      const splits = context.tasks();
      return splitNames.flatMap((split) => {
        const seen = new Set<string>();
        const twice = listIds(splits[split], context.settings.ids).find((id) => seen.size === seen.add(id).size);
        return twice === undefined ? [] : [`${split} has the task ${shorten(twice)} twice`];
      });
    },
  },
  {
    id: 'splits-disjoint',
    title: 'train, validation and test have no task in common',
    severity: 'error',
    likelyCause:
      'splits cut from differently ordered lists, or an unbounded split that draws from the tasks of another',
    run: (context) => {
      const splits = context.tasks();
      const owner = new Map<string, string>();
      const found: string[] = [];
      for (const split of splitNames) {
        const shared = listIds(splits[split], context.settings.ids).find((id) => (owner.get(id) ?? split) !== split);
        if (shared !== undefined) found.push(`${shorten(shared)} is in ${owner.get(shared)} and in ${split}`);
        for (const id of listIds(splits[split], context.settings.ids)) owner.set(id, split);
      }
      return found;
    },
  },
  {
    id: 'task-random',
    title: 'a task drawn at random depends on the stream alone and belongs to its split',
    severity: 'error',
    likelyCause: '`random` that uses Math.random, or that draws over all tasks instead of those of its split',
    run: (context) => {
      const splits = context.tasks();
      const ids = new Map(splitNames.map((split) => [split, new Set(listIds(splits[split], context.settings.ids))]));
      return splitNames.flatMap((split) => {
        if (splits[split].count === 0) return [];
        for (let draw = 0; draw < 50; draw += 1) {
          const [first, again] = [0, 1].map(() => splits[split].random(context.random.stream('task', split, draw)));
          if (first === undefined || first !== again) return [`${split}: two draws from one stream differ`];
          const other = splitNames.find((name) => name !== split && ids.get(name)?.has(first));
          if (other !== undefined) return [`${split}: drew ${shorten(first)}, a task of ${other}`];
          if (isBounded(splits[split], context) && !ids.get(split)?.has(first))
            return [`${split}: drew ${shorten(first)}, which is not in it`];
        }
        return [];
      });
    },
  },
];
