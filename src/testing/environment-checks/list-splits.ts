import type { SplitName, TaskSource, World } from '../../contracts/environment.js';
import { sourceOf } from '../../rollout/source-of.js';
import { splitNames } from '../../rollout/split-names.js';

/** Ids of a split: all of them if it is bounded and small enough, otherwise an even sample. */
export async function listIds(source: TaskSource, limit: number): Promise<string[]> {
  const count = source.count === 'unbounded' ? limit : source.count;
  const taken = Math.min(count, limit);
  const ids: string[] = [];
  // Like the host, asks for many ids at a time, but not for all: a server may have to answer.
  for (let from = 0; from < taken; from += 1_000) {
    const places = Array.from({ length: Math.min(1_000, taken - from) }, (_, at) => from + at);
    ids.push(...(await Promise.all(places.map(async (at) => source.id(Math.floor((at * count) / taken))))));
  }
  return ids;
}

/** Ids of every split. */
export async function listSplits(world: World, limit: number): Promise<ReadonlyMap<SplitName, string[]>> {
  const listed = new Map<SplitName, string[]>();
  for (const split of splitNames) listed.set(split, await listIds(sourceOf(world, split), limit));
  return listed;
}
