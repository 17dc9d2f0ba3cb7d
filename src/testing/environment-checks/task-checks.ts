import type { SplitName, TaskSource, World } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { splitNames, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { shorten } from '../shorten.js';

/** Ids of a split: all of them if it is bounded and small enough, otherwise an even sample. */
export async function listIds(source: TaskSource, limit: number): Promise<string[]> {
  const count = source.count === 'unbounded' ? limit : source.count;
  const taken = Math.min(count, limit);
  const ids: string[] = [];
  // Like the host, asks for many ids at a time, but not for all: a server may have to answer.
  for (let from = 0; from < taken; from += 1_000) {
    const length = Math.min(1_000, taken - from);
    const places = Array.from({ length }, (_, index) => Math.floor(((from + index) * count) / taken));
    ids.push(...(await Promise.all(places.map(async (place) => source.id(place)))));
  }
  const stranger = ids.find((id) => typeof id !== 'string');
  if (stranger !== undefined) throw new Error(`an id must be a string, not ${typeof stranger}`);
  return ids;
}

/** Ids of every split. */
async function listSplits({ splits }: World, limit: number): Promise<{ readonly [name in SplitName]: string[] }> {
  const [train, validation, test] = await Promise.all(splitNames.map((name) => listIds(splits[name], limit)));
  return { train: train ?? [], validation: validation ?? [], test: test ?? [] };
}

const isBounded = (source: TaskSource, context: CheckContext): boolean =>
  source.count !== 'unbounded' && source.count <= context.settings.ids;

export const taskChecks: readonly EnvironmentCheck[] = [
  {
    id: 'task-ids-stable',
    title: 'the same options give the same tasks in the same order',
    severity: 'error',
    likelyCause:
      'ids from a directory listing, a clock, a set in hash order, or a generator that advances with each call',
    why: 'Splits, demonstrations and reports identify tasks by id. If ids change, evaluation may use training tasks.',
    cure: 'Make id(place) a pure function of options and place. Sort lists by code units.',
    run: async (context) => {
      const { world } = context;
      const { ids } = context.settings;
      const other = await context.otherWorld();
      const before = await listSplits(world, ids);
      const found: string[] = [];
      for (const [which, opened] of Object.entries({ 'a second time': world, 'in another world': other })) {
        const again = await listSplits(opened, ids);
        for (const split of splitNames) {
          if (opened.splits[split].count !== world.splits[split].count) {
            found.push(`${split} has another count ${which}`);
            continue;
          }
          const place = before[split].findIndex((id, at) => id !== again[split][at]);
          if (place < 0) continue;
          const tasks = `${shorten(before[split][place] ?? '')}, but ${which} ${shorten(again[split][place] ?? '')}`;
          found.push(`${split} task ${place} is ${tasks}`);
        }
        if (found.length > 0) return found;
      }
      return found;
    },
  },
  {
    id: 'task-ids-unique',
    title: 'no task appears twice in a split',
    severity: 'error',
    likelyCause: 'the index is taken modulo the number of tasks, or the id lacks part of the task',
    why: 'A repeated task counts twice, and intervals become too narrow.',
    cure: 'Give each place its own id, and put everything into the id that defines the task.',
    run: async ({ world, settings }) => {
      const ids = await listSplits(world, settings.ids);
      return splitNames.flatMap((split) => {
        const seen = new Set<string>();
        const twice = ids[split].find((id) => seen.size === seen.add(id).size);
        return twice === undefined ? [] : [`${split} has the task ${shorten(twice)} twice`];
      });
    },
  },
  {
    id: 'splits-disjoint',
    title: 'train, validation and test share no task',
    severity: 'error',
    likelyCause:
      'splits cut from lists in different orders, or an unbounded split that draws from the tasks of another',
    why: 'Success on held-out tasks would measure memory.',
    cure: 'Cut the splits from one list, or by a hash or remainder of what defines the task.',
    run: async ({ world, settings }) => {
      const ids = await listSplits(world, settings.ids);
      const owner = new Map<string, string>();
      const found: string[] = [];
      for (const split of splitNames) {
        const shared = ids[split].find((id) => (owner.get(id) ?? split) !== split);
        if (shared !== undefined) found.push(`${shorten(shared)} is in ${owner.get(shared)} and in ${split}`);
        for (const id of ids[split]) owner.set(id, split);
      }
      return found;
    },
  },
  {
    id: 'task-random',
    title: 'random() draws a task of its split, and depends only on its random stream',
    severity: 'error',
    likelyCause: '`random` uses Math.random, or draws from all tasks instead of its split',
    why: 'Training would use tasks of validation or test, or different tasks each time.',
    cure: 'Draw a place of the split from the stream given to random(), and return its id.',
    run: async (context) => {
      const { splits } = context.world;
      const listed = await listSplits(context.world, context.settings.ids);
      const ids = new Map(splitNames.map((split) => [split, new Set(listed[split])]));
      const found: string[] = [];
      for (const split of splitNames.filter((name) => splits[name].count !== 0)) {
        for (let draw = 0; draw < 50; draw += 1) {
          const complaint = await badDraw(context, split, draw, ids);
          if (complaint === undefined) continue;
          found.push(`${split}: ${complaint}`);
          break;
        }
      }
      return found;
    },
  },
];

/** What is wrong with a random task; undefined if nothing is. */
async function badDraw(
  context: CheckContext,
  split: SplitName,
  draw: number,
  ids: ReadonlyMap<SplitName, ReadonlySet<string>>,
): Promise<string | undefined> {
  const source = context.world.splits[split];
  const stream = (): Random => context.random.stream('task', split, draw);
  const [first, again] = [await source.random(stream()), await source.random(stream())];
  if (typeof first !== 'string' || first !== again) return 'two draws from one stream differ';
  const other = splitNames.find((name) => name !== split && ids.get(name)?.has(first));
  if (other !== undefined) return `drew ${shorten(first)}, a task of ${other}`;
  const strange = isBounded(source, context) && ids.get(split)?.has(first) !== true;
  return strange ? `drew ${shorten(first)}, which is not in it` : undefined;
}
