import type { Context, Reading } from './reading.js';
import { compass, isSeeThrough, scopeCeiling, visitWithin } from './scope.js';
import type { Story } from './story.js';
import { ContainerKind, DirectionKind, FoodKind, player, type StoryObject, SupporterKind } from './story-object.js';
import type { StoryWorld } from './story-world.js';

/** As many objects as are compared. */
export const mostMatches = 100;

/** Objects in scope whose names match the words at a place best. The names of routines are Inform's (`Parser.i6t`). */
export class MatchList {
  objects: number[] = [];
  scores: number[] = [];
  /** Number of words that match. */
  length = 0;

  /** @param from Place of the first word. */
  constructor(
    private readonly story: Story,
    private readonly world: StoryWorld,
    private readonly reading: Reading,
    public from: number,
    private readonly onlyDirections: boolean,
  ) {}

  private readonly visit = (object: number): void => {
    this.match(object);
  };

  /** Compares everything in scope, first what is in one domain, then in another (`SearchScope`). */
  search(first: number, second: number, context: Context): void {
    const { world, reading } = this;
    const { objects } = this.story;
    if (context === 'multiinside' && reading.secondAhead > 0) {
      if (isSeeThrough(objects, world, reading.secondAhead)) {
        visitWithin(objects, world, reading.secondAhead, 0, this.visit);
      }
      return;
    }
    const seesDirections = context !== 'creature' && !reading.said.indefinite;
    if (seesDirections && first === scopeCeiling(objects, world, player)) {
      visitWithin(objects, world, compass, 0, this.visit);
    }
    this.searchDomain(first, second);
    if (second !== 0) this.searchDomain(second, 0);
  }

  private searchDomain(domain: number, without: number): void {
    const { objects } = this.story;
    if (domain > 0 && ((objects[domain] as StoryObject).kinds & (SupporterKind | ContainerKind)) !== 0) {
      this.match(domain);
    }
    visitWithin(objects, this.world, domain, without, this.visit);
  }

  /** Compares the words with the names of an object (`MatchTextAgainstObject`). */
  private match(object: number): void {
    const { reading } = this;
    if (this.onlyDirections && ((this.story.objects[object] as StoryObject).kinds & DirectionKind) === 0) return;
    if (this.from <= reading.count && this.isMeantBy(object, reading.words[this.from] as number)) this.add(object, 1);
    if (this.tryAt(object, this.from) === 0) return;
    const { numberPlace } = reading.said;
    if (numberPlace > 0 && this.from !== numberPlace && this.tryAt(object, numberPlace) > 0) {
      // "two clubs" is the two of clubs.
      this.from = numberPlace;
      reading.resetSaid();
    }
  }

  /** Enters the object if it matches; returns the number of words, or 1 if there are none (`TryGivenObject`). */
  private tryAt(object: number, place: number): number {
    const { reading } = this;
    if (place > reading.count) {
      this.add(object, 0);
      return 1;
    }
    let count = this.countWords(object, place);
    if (count === 0) {
      if (this.isMeantBy(object, reading.words[place] as number)) count = 1;
      else if (!reading.said.indefinite) return 0;
    }
    this.add(object, count);
    return count;
  }

  private isMeantBy(object: number, word: number): boolean {
    const { special, memory } = this.reading;
    if (object === player && special.me.includes(word)) return true;
    const pronoun = special.pronouns.indexOf(word);
    return pronoun !== -1 && memory.pronouns[pronoun] === object;
  }

  private countWords(object: number, from: number): number {
    const { words } = this.reading;
    const { phrases, kinds } = this.story.objects[object] as StoryObject;
    const isFood = this.story.cooks && (kinds & FoodKind) !== 0;
    let place = from;
    for (;;) {
      if (isFood) while (this.saysPreparation(object, words[place] ?? 0)) place++;
      let length = 0;
      for (const phrase of phrases) {
        let matched = 0;
        while (matched < phrase.length && words[place + matched] === phrase[matched]) matched++;
        if (matched < phrase.length) continue;
        length = matched;
        break;
      }
      if (length === 0) return place - from;
      place += length;
    }
  }

  private saysPreparation(food: number, word: number): boolean {
    if (word === 0) return false;
    const { cookings, cuttings } = this.reading.special;
    return cookings[this.world.cooking(food)] === word || cuttings[this.world.cutting(food)] === word;
  }

  private add(object: number, quality: number): void {
    if (quality < this.length) return;
    if (quality > this.length) {
      this.length = quality;
      this.objects = [];
    } else if (this.objects.length >= mostMatches || this.objects.includes(object)) {
      return;
    }
    this.objects.push(object);
  }
}
