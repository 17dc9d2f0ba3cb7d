// Names as a compiled story prints them: articles, states of food, lists.
import type { Corrections } from './corrections.js';
import { type Article, type Scene, type StateWord } from './description.js';
import { FoodKind, PlayerKind, type StoryObject } from './story-object.js';
import { Burned, cookings, cuttings, Locked, NeedsCooking, Open, type StoryWorld } from './story-world.js';

/** The parts of a story that names need. */
export interface NamedObjects {
  readonly objects: readonly StoryObject[];
  /** Whether it is a cooking game, in which lists and descriptions tell how food was prepared. */
  readonly cooks: boolean;
  readonly corrections: Pick<Corrections, 'beginsWithCapital'>;
}

/** The name without article. `prepared`: with the words for how a food was cut and cooked, as in lists. */
function printedName(story: NamedObjects, world: StoryWorld, object: number, prepared: boolean): string {
  const { kinds, name } = story.objects[object] as StoryObject;
  if (!prepared || !story.cooks || (kinds & FoodKind) === 0) return name;
  const cut = world.cutting(object) === 0 ? '' : `${cuttings[world.cutting(object)]} `;
  const cooking = world.cooking(object);
  if (world.has(object, NeedsCooking)) return `${cut}raw ${name}`;
  if (world.has(object, Burned)) return `${cut}burned ${name}`;
  return cooking === 0 ? cut + name : `${cut}${cookings[cooking]} ${name}`;
}

/** The name with an article: `the lamp`, `an apple`, `some milk`; doors have none. */
export function nameWithArticle(
  story: NamedObjects,
  world: StoryWorld,
  object: number,
  article: Article,
  prepared: boolean,
): string {
  const name = printedName(story, world, object, prepared);
  const { proper, indefinite } = story.objects[object] as StoryObject;
  if (article === 'none') return name;
  if (proper) return article === 'The' && story.corrections.beginsWithCapital ? capitalised(name) : name;
  if (article === 'the') return `the ${name}`;
  if (article === 'The') return `The ${name}`;
  if (indefinite !== undefined) return `${indefinite} ${name}`;
  return /^[aeiou]/i.test(name) ? `an ${name}` : `a ${name}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `a, b and c`; `nothing` if there is nothing to list. */
export function inWords(names: readonly string[]): string {
  if (names.length === 0) return 'nothing';
  if (names.length === 1) return names[0] as string;
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Everything directly in, on or held by an object, in the story's order. */
export function contentsOf(world: StoryWorld, holder: number): number[] {
  const contents: number[] = [];
  for (let object = world.child(holder); object !== 0; object = world.sibling(object)) contents.push(object);
  return contents;
}

/** A world as descriptions see it. */
export class StoryScene implements Scene {
  constructor(
    private readonly story: NamedObjects,
    private readonly world: StoryWorld,
  ) {}

  stateOf(object: number, state: StateWord): boolean {
    if (state === 'open') return this.world.has(object, Open);
    if (state === 'closed') return !this.world.has(object, Open);
    return this.world.has(object, Locked) === (state === 'locked');
  }

  isEmpty(object: number): boolean {
    return this.world.child(object) === 0;
  }

  isIn(object: number, holder: number): boolean {
    return this.world.parent(object) === holder;
  }

  name(object: number, article: Article): string {
    return nameWithArticle(this.story, this.world, object, article, true);
  }

  list(holder: number, article: Article, verb: boolean): string {
    const listed = contentsOf(this.world, holder).filter(
      (object) => ((this.story.objects[object] as StoryObject).kinds & PlayerKind) === 0,
    );
    const text = inWords(listed.map((object) => this.name(object, article)));
    return verb ? `${listed.length > 1 ? 'are' : 'is'} ${text}` : text;
  }
}

const units = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** A whole number in words, as Inform writes it: `one hundred and two`. Large numbers stay in digits. */
export function numberInWords(number: number): string {
  if (number < 0) return `minus ${numberInWords(-number)}`;
  if (number >= 1_000_000 || !Number.isInteger(number)) return String(number);
  if (number >= 1000) return joined(`${numberInWords(Math.floor(number / 1000))} thousand`, number % 1000, ', ');
  if (number >= 100) return joined(`${units[Math.floor(number / 100)]} hundred`, number % 100, ' and ');
  if (number < 20) return units[number] as string;
  const ten = tens[Math.floor(number / 10) - 2] as string;
  return number % 10 === 0 ? ten : `${ten}-${units[number % 10]}`;
}

function joined(front: string, rest: number, comma: string): string {
  if (rest === 0) return front;
  return `${front}${rest < 100 ? ' and ' : comma}${numberInWords(rest)}`;
}
