import { action, actionNames, type ActionName } from '../world/world-state.js';
import type { GridWorld } from '../world/world.js';

/** The low-level actions that do something here. */
export function possibleActions(world: GridWorld): readonly ActionName[] {
  const { ahead, carrying } = world;
  const isPossible: Readonly<Record<ActionName, boolean>> = {
    left: true,
    right: true,
    forward: ahead === undefined || ahead.passable,
    pickup: ahead !== undefined && ahead.portable && carrying === undefined,
    drop: ahead === undefined && carrying !== undefined,
    toggle:
      ahead !== undefined &&
      (ahead.kind === 'box' || (ahead.kind === 'door' && (ahead.state !== 'locked' || world.hasKeyOf(ahead)))),
    done: false,
  };
  return actionNames.filter((name) => isPossible[name]);
}

export const isActionName = (text: string): text is ActionName => Object.hasOwn(action, text);
