import { action, actionNames, type ActionName, type World } from '../world/world.js';

/** The low-level actions that do something here. */
export function possibleActions(world: World): readonly ActionName[] {
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
