import type { Action } from '../world/world-state.js';
import type { GridWorld } from '../world/world.js';
import { copyWorld } from './copy-world.js';
import type { Habits } from './mover.js';
import { Planner } from './planner.js';

/** Plans that are tried where rooms are so full that the first one leads nowhere, or takes too long. */
const mostVariants = 60;

/**
 * Low-level actions that carry out what is left of the instruction, from full knowledge of the world; undefined if none
 * were found. Where two commands may be carried out in any order, the shorter plan counts. The plan may be longer than
 * the steps that are left if no other was found.
 */
export function solve(world: GridWorld): readonly Action[] | undefined {
  const orders: readonly Habits['command'][] = world.instruction.commands.length > 1 ? ['first', 'last'] : ['first'];
  const left = world.maxSteps - world.steps;
  let best: readonly Action[] | undefined;
  for (let variant = 0; variant < mostVariants; variant += 1) {
    for (const command of orders) {
      const plan = new Planner(copyWorld(world), { command, variant }).solve();
      if (plan !== undefined && (best === undefined || plan.length < best.length)) best = plan;
    }
    if (best !== undefined && best.length <= left) return best;
  }
  return best;
}
