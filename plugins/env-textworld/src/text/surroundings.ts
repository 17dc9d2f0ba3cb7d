// What the player sees: rooms, things that are looked at, what is carried.
import { describe } from './description.js';
import { contentsOf, inWords, nameWithArticle, StoryScene } from './printed-names.js';
import type { Story } from './story.js';
import {
  ContainerKind,
  DirectionKind,
  DoorKind,
  player,
  PlayerKind,
  type StoryObject,
  SupporterKind,
} from './story-object.js';
import { Open, type StoryWorld } from './story-world.js';

const notOnFloor = ContainerKind | SupporterKind | DoorKind | PlayerKind;

/** What `look` prints. `brief`: without the description of the room. */
export function roomText(story: Story, world: StoryWorld, brief = false): string {
  const room = world.parent(player);
  const { name, description } = story.objects[room] as StoryObject;
  const scene = new StoryScene(story, world);
  let text = name;
  if (!brief) text += `\n${tidy(describe(description, scene, room))}`;
  const floor: string[] = [];
  for (let object = world.child(room); object !== 0; object = world.sibling(object)) {
    if (((story.objects[object] as StoryObject).kinds & notOnFloor) === 0) floor.push(scene.name(object, 'a'));
  }
  if (floor.length > 0) text += `\n\nThere is ${inWords(floor)} on the floor.`;
  return text;
}

/** What `inventory` prints. */
export function inventoryText(story: Story, world: StoryWorld): string {
  if (world.child(player) === 0) return 'You are carrying nothing.';
  return `You are carrying: ${listed(story, world, player, 'a')}.`;
}

/** What `examine` prints. */
export function examineText(story: Story, world: StoryWorld, object: number): string {
  const { kinds, description } = story.objects[object] as StoryObject;
  if ((kinds & DirectionKind) !== 0) return 'You see nothing unexpected in that direction.';
  if ((kinds & PlayerKind) !== 0) return 'As good-looking as ever.';
  const parts: string[] = [];
  const text = describe(description, new StoryScene(story, world), object);
  if (description.length > 0) parts.push(tidy(text));
  if ((kinds & ContainerKind) !== 0 && world.has(object, Open)) {
    if (world.child(object) !== 0) parts.push(contents(story, world, object, 'In', true));
    else if (description.length === 0) parts.push(`${nameWithArticle(story, world, object, 'The', true)} is empty.`);
  }
  if ((kinds & SupporterKind) !== 0 && world.child(object) !== 0)
    parts.push(contents(story, world, object, 'On', true));
  if (parts.length > 0) return parts.join('\n\n');
  return `You see nothing special about ${nameWithArticle(story, world, object, 'the', true)}.`;
}

/** `In the box are a and b.`; `prepared`: the holder's name as in a description. */
export function contents(
  story: Story,
  world: StoryWorld,
  holder: number,
  where: 'In' | 'On',
  prepared: boolean,
): string {
  const verb = world.sibling(world.child(holder)) === 0 ? 'is' : 'are';
  const name = nameWithArticle(story, world, holder, 'the', prepared);
  return `${where} ${name} ${verb} ${listed(story, world, holder, 'a')}.`;
}

/** Everything in or on a holder with articles. */
export function listed(story: Story, world: StoryWorld, holder: number, article: 'a' | 'the'): string {
  return inWords(contentsOf(world, holder).map((object) => nameWithArticle(story, world, object, article, true)));
}

/** The text without blanks at its edges, at the ends of its lines, and without more than one empty line. */
function tidy(text: string): string {
  if (!/\s\n|^\s|\s$/.test(text)) return text;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed !== '' || (lines.length > 0 && lines.at(-1) !== '')) lines.push(trimmed);
  }
  while (lines.at(-1) === '') lines.pop();
  return lines.join('\n');
}
