import type { TaskPool } from '../contracts/curriculum.js';
import type { Random } from '../contracts/random.js';
import { taskOrder } from './task-order.js';
import type { WorldHandle } from './world-handle.js';

/**
 * The training tasks of a world, as a curriculum sees them.
 *
 * @param random of the order
 * @param entry absent in a run of one environment
 */
export function taskPool(
  world: Pick<WorldHandle, 'about' | 'splits'>,
  random: Random,
  { entry, weight = 1 }: { readonly entry?: string; readonly weight?: number } = {},
): TaskPool {
  const { train } = world.splits;
  return {
    ...(entry !== undefined && { entry }),
    weight,
    count: train.count,
    order: taskOrder(train, random),
    about: (tasks) => world.about(tasks),
  };
}
