// Facts of TextWorld as changes of a story's world, for actions of rules that no deed of the story stands for.
import type { Fact } from '../logic/logic.js';
import type { Story } from './story.js';
import { ContainerKind, PlayerKind, RoomKind, SupporterKind, type StoryObject } from './story-object.js';
import { cookings, cuttings, Locked, Open, stateBits, type StoryWorld } from './story-world.js';

const bits: ReadonlyMap<string, number> = new Map([...stateBits, ['open', Open], ['locked', Locked]]);

const places = RoomKind | ContainerKind | SupporterKind | PlayerKind;

/** Makes a fact hold in the world, or not any more. Facts that a world does not know are left out. */
export function setFact(story: Story, world: StoryWorld, { name, entities }: Fact, holds: boolean): void {
  const [object = 0, other = 0] = entities.map(({ id }) => story.numbers.get(id) ?? 0);
  if (object === 0) return;
  if (name === 'at' || name === 'in' || name === 'on') {
    if (((story.objects[other] as StoryObject).kinds & places) === 0) return;
    if (holds) world.move(object, other);
    else if (world.parent(object) === other) world.move(object, 0);
    return;
  }
  const bit = bits.get(name);
  if (bit !== undefined) {
    world.set(object, bit, holds);
    return;
  }
  if (!holds) return;
  const cooking = cookings.findIndex((value) => value === name);
  if (cooking !== -1) world.setCooking(object, cooking);
  const cutting = cuttings.findIndex((value) => value === name);
  if (cutting !== -1) world.setCutting(object, cutting);
}
