// The cheapest way over the whole map: Dijkstra's algorithm over cells and directions.
import { stepX, stepY } from '../world/direction.js';
import type { Thing } from '../world/thing.js';
import type { GridWorld } from '../world/world.js';

/** What it costs to enter a cell beyond the step itself, in actions; `undefined` if nobody can. */
export type EntryCost = (thing: Thing | undefined) => number | undefined;

/** The greatest cost of one step; costs are sorted into as many buckets. */
export const greatestCost = 120;
const buckets = greatestCost + 2;
const far = 0x7fffffff;

/** Poses, from the one after the present to the last. A pose is its cell, times four, plus its direction. */
export type Route = readonly number[];

// Kept from call to call: they are larger than everything else that a search needs.
const queues: readonly number[][] = Array.from({ length: buckets }, () => []);
let costs = new Int32Array(0);
let parents = new Int32Array(0);

/** The cheapest way to stand before one of the target cells and face it; undefined if there is none. */
export function findRoute(
  world: GridWorld,
  isTarget: (cell: number) => boolean,
  entryCost: EntryCost,
): Route | undefined {
  const { grid } = world;
  const { width, cells } = grid;
  const offsets = [0, 1, 2, 3].map((direction) => stepX[direction]! + stepY[direction]! * width);
  const count = cells.length * 4;
  if (costs.length < count) {
    costs = new Int32Array(count);
    parents = new Int32Array(count);
  }
  costs.fill(far, 0, count);
  parents.fill(-1, 0, count);
  for (const queue of queues) queue.length = 0;
  const first = (world.y * width + world.x) * 4 + world.direction;
  costs[first] = 0;
  queues[0]!.push(first);
  let waiting = 1;
  const reach = (pose: number, cost: number, from: number) => {
    if (cost >= (costs[pose] as number)) return;
    costs[pose] = cost;
    parents[pose] = from;
    queues[cost % buckets]!.push(pose);
    waiting += 1;
  };
  for (let cost = 0; waiting > 0; cost += 1) {
    const queue = queues[cost % buckets]!;
    // Steps cost at least 1, so nothing joins this queue while it is read.
    for (const pose of queue) {
      waiting -= 1;
      if (costs[pose] !== cost) continue;
      const direction = pose & 3;
      const ahead = (pose >> 2) + offsets[direction]!;
      if (isTarget(ahead)) return trace(pose);
      const entry = entryCost(cells[ahead]);
      if (entry !== undefined) reach(ahead * 4 + direction, cost + 1 + entry, pose);
      reach((pose & ~3) | ((direction + 3) & 3), cost + 1, pose);
      reach((pose & ~3) | ((direction + 1) & 3), cost + 1, pose);
    }
    queue.length = 0;
  }
  return undefined;
}

function trace(last: number): number[] {
  const poses: number[] = [];
  for (let pose = last; parents[pose] !== -1; pose = parents[pose] as number) poses.push(pose);
  return poses.reverse();
}
