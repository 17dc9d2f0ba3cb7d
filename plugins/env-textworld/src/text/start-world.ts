import { StoryTextError } from './description.js';
import type { GameFacts } from './game-facts.js';
import { moveDoors } from './story-map.js';
import {
  ContainerKind,
  DoorKind,
  FoodKind,
  player,
  PlayerKind,
  RoomKind,
  type StoryObject,
  SupporterKind,
} from './story-object.js';
import {
  Burned,
  Consumed,
  Cooked,
  cookings,
  cuttings,
  Edible,
  Inedible,
  Locked,
  NeedsCooking,
  Open,
  Visited,
  StoryWorld,
} from './story-world.js';

/** The parts of a story that its first world is made of. */
export interface StoryParts {
  readonly objects: readonly StoryObject[];
  readonly numbers: ReadonlyMap<string, number>;
  readonly doors: readonly number[];
  readonly cooks: boolean;
}

const placeKinds = RoomKind | ContainerKind | SupporterKind | PlayerKind;
const deepestNest = 50;

/** How deep a holder is inside of other things; infinite if it is inside of the thing. */
function depthIn(world: StoryWorld, holder: number, thing: number): number {
  let depth = 0;
  for (let place = holder; place !== 0; place = world.parent(place)) {
    if (place === thing) return Infinity;
    depth++;
  }
  return depth;
}

/** The world at the start. Throws `StoryTextError` if something is inside of itself. */
export function startWorld(story: StoryParts, facts: GameFacts): StoryWorld {
  const { objects, numbers } = story;
  const world = StoryWorld.empty(objects.length);
  const holders: number[] = [];
  for (const name of ['at', 'in', 'on']) {
    for (const { entities } of facts.withName(name)) {
      const [thing, holder] = entities.map(({ id }) => numbers.get(id));
      if (thing && holder && ((objects[holder] as StoryObject).kinds & placeKinds) !== 0) holders[thing] = holder;
    }
  }
  for (const [thing, holder] of holders.entries()) {
    if (holder === undefined) continue;
    if (depthIn(world, holder, thing) > deepestNest) {
      const { id } = objects[thing] as StoryObject;
      throw new StoryTextError('it is inside of itself, or too deep inside of other things', id, 0);
    }
    world.append(thing, holder);
  }
  for (const object of objects) setStartState(world, object, story.cooks, facts);
  moveDoors(world, objects, story.doors);
  world.set(world.parent(player), Visited, true);
  return world;
}

function setStartState(world: StoryWorld, { number, id, kinds }: StoryObject, cooks: boolean, facts: GameFacts): void {
  const state = (name: string): boolean => facts.holds(name, id);
  if ((kinds & (ContainerKind | DoorKind)) !== 0) {
    world.set(number, Open, state('open'));
    world.set(number, Locked, state('locked'));
  }
  if ((kinds & FoodKind) === 0) return;
  const inedible = state('inedible');
  world.set(number, Inedible, inedible && !state('edible'));
  world.set(number, Edible, !inedible || state('edible'));
  if (!cooks) return;
  world.set(number, NeedsCooking, state('needs_cooking'));
  world.set(number, Cooked, state('cooked'));
  world.set(number, Burned, state('burned'));
  world.set(number, Consumed, state('consumed'));
  cookings.forEach((cooking, index) => state(cooking) && world.setCooking(number, index));
  cuttings.forEach((cutting, index) => state(cutting) && world.setCutting(number, index));
}
