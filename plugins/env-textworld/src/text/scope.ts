// Which objects a command can refer to, in the order in which Inform visits them (its `Light.i6t` and `Parser.i6t`).
import { ContainerKind, DirectionKind, PlayerKind, RoomKind, SupporterKind, type StoryObject } from './story-object.js';
import { Open, type StoryWorld } from './story-world.js';

/** The place of all directions. It is no object of the world. */
export const compass = -1;

export function isSeeThrough(objects: readonly StoryObject[], world: StoryWorld, object: number): boolean {
  const { kinds } = objects[object] as StoryObject;
  if ((kinds & (SupporterKind | PlayerKind)) !== 0) return true;
  return (kinds & ContainerKind) !== 0 && world.has(object, Open);
}

/** The outermost thing that can be seen from where the object is; the object itself if it is nowhere. */
export function scopeCeiling(objects: readonly StoryObject[], world: StoryWorld, object: number): number {
  let ceiling = world.parent(object);
  if (ceiling === 0) return object;
  for (;;) {
    const isShut = ((objects[ceiling] as StoryObject).kinds & ContainerKind) !== 0 && !world.has(ceiling, Open);
    const next = isShut ? 0 : world.parent(ceiling);
    if (next === 0) return ceiling;
    ceiling = next;
  }
}

/** Visits everything inside of a domain, without what is inside of `nosearch`. */
export function visitWithin(
  objects: readonly StoryObject[],
  world: StoryWorld,
  domain: number,
  nosearch: number,
  visit: (object: number) => void,
): void {
  if (domain === compass) {
    for (let object = 1; ((objects[object] as StoryObject).kinds & DirectionKind) !== 0; object++) visit(object);
    return;
  }
  for (let object = world.child(domain); object !== 0; object = world.sibling(object)) {
    visit(object);
    if (object === nosearch) continue;
    const isRoom = ((objects[object] as StoryObject).kinds & RoomKind) !== 0;
    if (isRoom || isSeeThrough(objects, world, object)) visitWithin(objects, world, object, nosearch, visit);
  }
}

export function isEnclosed(world: StoryWorld, object: number, by: number): boolean {
  for (let holder = world.parent(object); holder !== 0; holder = world.parent(holder)) if (holder === by) return true;
  return false;
}
