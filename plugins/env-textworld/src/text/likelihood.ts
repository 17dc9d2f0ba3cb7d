import type { Deed } from './grammar.js';
import { MatchList } from './match-list.js';
import type { Context, Reading } from './reading.js';
import { scopeCeiling } from './scope.js';
import type { Story } from './story.js';
import { DirectionKind, player, type StoryObject } from './story-object.js';
import type { StoryWorld } from './story-world.js';

const certain = 4;
const usual = 2;
const cuts: ReadonlySet<Deed> = new Set<Deed>(['slice', 'dice', 'chop']);

/**
 * How likely the player means an object, by Inform's rules for "does the player mean" (`ChooseObjects`). With the first
 * question it decides for the whole command whether it judges pairs of nouns, or single nouns.
 */
export class Likelihood {
  private judges: 'undecided' | 'pairs' | 'single' = 'undecided';
  private others: readonly number[] = [];

  constructor(
    private readonly story: Story,
    private readonly world: StoryWorld,
    private readonly reading: Reading,
  ) {}

  /** From 0 to 4. `isGuess`: nothing was said that the object could be. */
  of(object: number, isGuess: boolean): number {
    const { reading } = this;
    if (isGuess && this.story.corrections.guessesSensibly) return this.ofGuess(object);
    if (this.judges === 'undecided') this.decide();
    if (reading.parameters > 0) return this.ofPair(reading.results[0] as number, object);
    if (this.judges === 'single') return this.ofPair(object, Math.max(reading.secondAhead, 0));
    let best = 0;
    for (const other of this.others) {
      best = Math.max(best, this.ofPair(object, other));
      if (best === certain) break;
    }
    return best;
  }

  /** Of an object that no words of the command mean. */
  private ofGuess(object: number): number {
    const { deed, parameters, results } = this.reading;
    const [first = 0] = results;
    if (parameters === 0 || first <= 0) return deed === 'take' && this.isHeld(object) ? 0 : usual;
    if (object === first) return 0;
    if ((deed === 'lock' || deed === 'unlock') && this.object(first).key === object) return certain;
    return usual;
  }

  private decide(): void {
    const { reading } = this;
    this.judges = 'single';
    const { place } = reading;
    let token = reading.token;
    while (reading.tokens[token]?.words !== undefined) token++;
    const slot = reading.tokens[token]?.slot;
    if (slot === 'topic' || slot === 'direction' || slot === 'switched') return;
    for (; reading.place <= reading.count; reading.place++) {
      const word = reading.words[reading.place] as number;
      if (word === reading.special.then) break;
      if (reading.isPreposition(word) || reading.special.all.includes(word)) continue;
      this.others = this.findOthers(slot ?? 'any');
      this.judges = 'pairs';
      break;
    }
    reading.place = place;
  }

  /** The objects that may be the second noun, whose words begin here. */
  private findOthers(context: Context): readonly number[] {
    const { reading, story, world } = this;
    const { said } = reading;
    reading.readDescriptors();
    reading.said = said;
    const list = new MatchList(story, world, reading, reading.place, false);
    list.search(player, scopeCeiling(story.objects, world, player), context);
    return list.objects;
  }

  /** Of two nouns in the order of the line (`ScoreDabCombo`). */
  private ofPair(first: number, other: number): number {
    const { line, deed } = this.reading;
    const one = Math.max(first, 0);
    const two = Math.max(other, 0);
    const [noun, second] = line?.reversed === true ? [two, one] : [one, two];
    if (cuts.has(deed) && this.isThing(noun) && this.isHeld(second) && !this.object(second).sharp) return 0;
    if (deed === 'cook' && this.isThing(noun) && this.isHeld(second)) return 0;
    if (deed === 'take' && this.isHeld(noun)) return 0;
    if (noun !== 0 && second !== 0) return this.isNamed(noun) && this.isNamed(second) ? certain : usual;
    const object = noun === 0 ? second : noun;
    return object !== 0 && this.isNamed(object) ? 3 : usual;
  }

  private object(number: number): StoryObject {
    return this.story.objects[number] as StoryObject;
  }

  private isHeld(object: number): boolean {
    return object !== 0 && this.world.parent(object) === player;
  }

  private isThing(object: number): boolean {
    return object !== 0 && (this.object(object).kinds & DirectionKind) === 0;
  }

  /** Whether the command contains the whole printed name. The compiled story compares capital letters, too. */
  private isNamed(object: number): boolean {
    const { text, starts, ends, count } = this.reading;
    const { name } = this.object(object);
    const command = text.slice(starts[1], ends[count]);
    if (!this.story.corrections.comparesNamesLoosely) return command.includes(name);
    return command.replace(/\s+/g, ' ').includes(name.toLowerCase());
  }
}
