// AgentGym's actions in words: `go to red ball 1` and others, each a row of low-level actions.
import { stepX, stepY } from '../world/direction.js';
import type { Place } from '../world/thing.js';
import { action, type Action } from '../world/world-state.js';
import { viewSize } from '../world/view.js';
import { findWays, type Area, type Ways } from './find-ways.js';
import { barrierAhead, type Scene, type VisibleThing } from './visible-things.js';

/** What can be done in a scene. */
export interface ActionMenu {
  /** Low-level actions by words, in the order in which they are listed. */
  readonly actions: ReadonlyMap<string, readonly Action[]>;
  /** Why others cannot be done. */
  readonly refusals: ReadonlyMap<string, string>;
}

const noWay = 'as there is no path leading to it.';

/**
 * The actions of a scene. Numbers of things are those of its description, ways lead over free cells that are seen, and
 * an action is listed only if its first step is possible.
 */
export function listActions(scene: Scene): ActionMenu {
  const actions = new Map<string, readonly Action[]>([
    ['turn left', [action.left]],
    ['turn right', [action.right]],
  ]);
  const refusals = new Map<string, string>();
  const ways = findWays(scene, seenArea(scene), false);
  const before = scene.things.find(({ ahead, right }) => ahead === 1 && right === 0);
  const things = scene.things.filter(({ kind }) => kind !== 'wall');
  const portable = things.filter(({ kind }) => kind !== 'door');
  const offer = (words: string, way: readonly Action[] | undefined, then: readonly Action[], reason = noWay) => {
    if (way !== undefined) actions.set(words, [...way, ...then]);
    else refusals.set(words, `You cannot ${words}, ${reason}`);
  };

  if (before === undefined || before.name.endsWith('open door')) actions.set('move forward', [action.forward]);
  else refusals.set('move forward', `You cannot move forward, as there is a ${before.name} in front of you.`);

  for (const { name, number, x, y } of portable) {
    const words = `pickup ${name} ${number}`;
    if (scene.carrying === undefined) offer(words, ways.before(x, y), [action.pickup]);
    else refusals.set(words, `You cannot ${words}, as you are carrying something already.`);
  }

  if (scene.carrying === undefined) {
    refusals.set('drop', 'You cannot drop the object, as you are not carrying anything.');
  } else if (before === undefined) actions.set('drop', [action.drop]);
  else refusals.set('drop', 'You cannot drop the object, as there is already an object in front of you.');

  for (const door of things) if (door.kind === 'door') offerDoor(scene, door, ways, offer);
  const opens = before !== undefined && (before.kind === 'box' || (before.kind === 'door' && canToggle(scene, before)));
  if (opens) actions.set('toggle', [action.toggle]);
  else refusals.set('toggle', 'There is nothing in front of you that you can toggle.');

  for (const { name, number, x, y } of things) {
    const way = ways.before(x, y);
    if (way?.length === 0) refusals.set(`go to ${name} ${number}`, 'No change in state.');
    else offer(`go to ${name} ${number}`, way, []);
  }
  return { actions, refusals };
}

type Offer = (words: string, way: readonly Action[] | undefined, then: readonly Action[], reason?: string) => void;

function offerDoor(scene: Scene, door: VisibleThing, ways: Ways, offer: Offer): void {
  const { name, number, x, y } = door;
  const through = `go through ${name} ${number}`;
  const toggle = `toggle and go through ${name} ${number}`;
  if (name.endsWith('open door')) {
    offer(through, ways.into(x, y), []);
    return;
  }
  offer(through, undefined, [], `as it is ${name.split(' ')[1]}. You should toggle it first.`);
  if (canToggle(scene, door)) offer(toggle, ways.before(x, y), [action.toggle, action.forward]);
  else offer(toggle, undefined, [], whyLocked(scene));
}

function canToggle({ carrying }: Scene, { name }: VisibleThing): boolean {
  const [colour, state] = name.split(' ');
  return state !== 'locked' || (carrying?.kind === 'key' && carrying.colour === colour);
}

function whyLocked({ carrying }: Scene): string {
  return carrying?.kind === 'key'
    ? 'as the color of the key you are carrying does not match the color of door.'
    : 'as you are not carrying a key.';
}

/** The cells of the view; those that are not seen, or not free, are blocked. */
function seenArea(scene: Scene): Area {
  const area = viewedArea(scene, 0);
  const { left, top, width, blocked } = area;
  const clear = ({ x, y }: Place) => {
    blocked[(y - top) * width + (x - left)] = 0;
  };
  blocked.fill(1);
  clear(scene);
  for (const cell of scene.free) clear(cell);
  for (const thing of scene.things) if (thing.name.endsWith('open door')) clear(thing);
  return area;
}

/** The rectangle of the view; `extra` is 1 for the one behind or beside it that AgentGym's search has on some sides. */
function viewedArea({ direction, x, y }: Scene, extra: 0 | 1): Area {
  const side = (viewSize - 1) / 2;
  const span = (along: number, across: number): readonly [first: number, count: number] => {
    if (along > 0) return [-extra, viewSize + extra];
    if (along < 0) return [1 - viewSize, viewSize];
    return across > 0 ? [-side - extra, viewSize + extra] : [-side, viewSize];
  };
  // The columns to the left of an agent that looks down have greater x, and so on: `-right` is the second argument.
  const [firstX, width] = span(stepX[direction], stepY[direction]);
  const [firstY, height] = span(stepY[direction], -stepX[direction]);
  return { left: x + firstX, top: y + firstY, width, height, blocked: new Uint8Array(width * height) };
}

/**
 * The actions as AgentGym's wrapper lists them. Things are numbered anew, skipping those without a way; a way may lead
 * through closed doors and cells that are not seen; walls and boxes alone stop `move forward`, and doors do not stop
 * `drop`.
 */
export function listActionsAsAgentGym(scene: Scene): ActionMenu {
  const actions = new Map<string, readonly Action[]>([
    ['turn left', [action.left]],
    ['turn right', [action.right]],
  ]);
  const refusals = new Map<string, string>();
  const ways = findWays(scene, freeArea(scene), true);
  const things = scene.things.filter(({ kind }) => kind !== 'wall');
  const portable = things.filter(({ kind }) => kind !== 'door');
  /** Numbers things with a way. Refusals name the next number, as long as one had a way. */
  const offerEach = (verb: string, offered: readonly VisibleThing[], then: readonly Action[]) => {
    const counts = new Map<string, number>();
    for (const { name, x, y } of offered) {
      const way = ways.before(x, y);
      const words = `${verb} ${name} ${(counts.get(name) ?? 0) + 1}`;
      if (way === undefined) {
        refusals.set(words, `You cannot ${words}, ${noWay}`);
        continue;
      }
      counts.set(name, (counts.get(name) ?? 0) + 1);
      actions.set(words, [...way, ...then]);
    }
  };

  const barrier = barrierAhead(scene);
  if (barrier === undefined || barrier.ahead > 1) actions.set('move forward', [action.forward]);
  else refusals.set('move forward', "There is a barrier in front of you, you can't move forward.");
  if (scene.carrying === undefined) offerEach('pickup', portable, [action.pickup]);
  const isOccupied = scene.things.some(({ kind, ahead, right }) => kind !== 'door' && ahead === 1 && right === 0);
  if (scene.carrying === undefined) {
    refusals.set('drop', 'You cannot drop the object, as you are not carrying anything.');
  } else if (isOccupied) {
    refusals.set('drop', 'You cannot drop the object, as there is already an object in front of you.');
  } else actions.set('drop', [action.drop]);
  offerDoorsAsAgentGym(scene, ways, actions, refusals);
  offerEach('go to', things, []);
  actions.set(checkActions, []);
  return { actions, refusals };
}

export const checkActions = 'check available actions';

function offerDoorsAsAgentGym(
  scene: Scene,
  ways: Ways,
  actions: Map<string, readonly Action[]>,
  refusals: Map<string, string>,
): void {
  const counts = new Map<string, number>();
  for (const door of scene.things) {
    if (door.kind !== 'door') continue;
    const { name, x, y, number } = door;
    counts.set(name, number);
    const through = `go through ${name} ${number}`;
    const toggle = `toggle and go through ${name} ${number}`;
    if (name.endsWith('open door')) {
      const way = ways.into(x, y);
      if (way === undefined) refusals.set(through, `You cannot ${through}, ${noWay}`);
      else actions.set(through, way);
      continue;
    }
    if (!canToggle(scene, door)) {
      refusals.set(toggle, `You cannot ${toggle}, ${whyLocked(scene)}`);
      continue;
    }
    const way = ways.before(x, y);
    if (way === undefined) {
      // The original prints its dictionary of counts instead of the number.
      const dictionary = [...counts].map(([counted, count]) => `'${counted}': ${count}`).join(', ');
      refusals.set(toggle, `You cannot toggle and go through ${name} {${dictionary}}, ${noWay}`);
    } else actions.set(toggle, [...way, action.toggle, action.forward]);
    if (way?.length === 0) actions.set('toggle', [action.toggle]);
    if (name.endsWith('closed door')) {
      refusals.set(through, `You cannot ${through}, as it is closed. You should toggle it first.`);
    }
  }
}

/** Everything is free but the things that are seen; doors are free, too. */
function freeArea(scene: Scene): Area {
  const area = viewedArea(scene, 1);
  for (const { kind, x, y } of scene.things) {
    const column = x - area.left;
    const row = y - area.top;
    if (kind === 'door' || column < 0 || row < 0 || column >= area.width || row >= area.height) continue;
    area.blocked[row * area.width + column] = 1;
  }
  return area;
}
