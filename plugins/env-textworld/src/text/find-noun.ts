import { Likelihood } from './likelihood.js';
import { MatchList, mostMatches } from './match-list.js';
import { ParserError } from './parser-replies.js';
import { type Context, everything, manyContexts, Multiple, None, type Reading, Unclear } from './reading.js';
import { compass, isEnclosed, scopeCeiling } from './scope.js';
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
import type { StoryWorld } from './story-world.js';

// Points of a match (`ScoreMatchL`).
const perFit = 1000;
const perLikelihood = 1000;
const unconcealed = 100;
const bestPlace = 60;
const goodPlace = 40;
const notDirection = 20;
const notScenery = 10;
const notPlayer = 5;
const rightCount = 1;

const fixedKinds = ContainerKind | SupporterKind | DoorKind;

/** Finds the objects that words mean. The names of routines are those of Inform's parser (`Parser.i6t`). */
export class NounFinder {
  /** The matches of the last search. */
  list: MatchList;
  private likelihood: Likelihood;

  constructor(
    private readonly story: Story,
    private world: StoryWorld,
    private readonly reading: Reading,
  ) {
    this.list = new MatchList(story, world, reading, 0, false);
    this.likelihood = new Likelihood(story, world, reading);
  }

  /** Forgets what was decided for the last command. */
  begin(world: StoryWorld): void {
    this.world = world;
    this.likelihood = new Likelihood(this.story, world, this.reading);
  }

  /** The place of everything that the player can see. */
  location(): number {
    return scopeCeiling(this.story.objects, this.world, player);
  }

  /**
   * The object that the next words mean, looked for first in one domain, then in another (`NounDomain`): an object,
   * `None`, `Unclear`, or `Multiple` if several were added to the list of those that are meant.
   */
  find(first: number, second: number, context: Context, onlyDirections = false): number {
    const { reading } = this;
    const list = new MatchList(this.story, this.world, reading, reading.place, onlyDirections);
    this.list = list;
    list.search(first, second, context);
    reading.place = list.from + list.length;
    const [only = 0] = list.objects;
    if (only === 0) {
      reading.place++;
      return None;
    }
    if (list.from <= reading.count) {
      if (list.objects.length === 1) return only;
      if (reading.place <= reading.count && context !== 'any' && reading.lookahead === undefined) {
        const next = reading.words[reading.place] as number;
        if (!reading.isConnective(next) && next !== reading.special.then) return None;
      }
    }
    let chosen = only;
    if (list.objects.length === 1) {
      const { indefinite, plural } = reading.said;
      if (indefinite && plural && context !== 'any' && this.isLeftOutOfAll(only)) return None;
    } else {
      chosen = this.choose(context);
      if (chosen <= 0) return chosen;
    }
    if (reading.dontInfer) return chosen;
    if (reading.inferFrom === 0) reading.inferFrom = reading.token;
    reading.pattern[reading.token] = chosen;
    return chosen;
  }

  /** A search in which nothing can be found. */
  findNothing(): typeof None {
    this.list = new MatchList(this.story, this.world, this.reading, this.reading.place, false);
    this.reading.place++;
    return None;
  }

  /** One of several matches (`Adjudicate`). */
  private choose(context: Context): number {
    const { reading, list } = this;
    const { said } = reading;
    const isMany = manyContexts.has(context);
    const good = list.objects.filter((object) => this.isGood(object, context));
    list.scores = list.objects.map((object) => (good.includes(object) ? perFit : 0));
    const [only = 0] = good;
    if (good.length === 1 && !(said.indefinite && said.plural && isMany && this.isLeftOutOfAll(only))) return only;
    if (context === 'creature' && good.length === 0) return list.objects[0] as number;
    if (!said.indefinite) {
      said.plural = false;
      said.mine = false;
      said.here = false;
      said.lit = false;
      said.unlit = false;
    }
    this.score();
    if (list.objects.length === 0) return None;
    if (!said.indefinite) return this.singleBest();
    if (said.plural) return this.chooseMany(context);
    // No two objects have the same words for the parser, so one of several is guessed.
    if (list.objects.length === 1) reading.dontInfer = true;
    return this.byScore()[0] ?? None;
  }

  private chooseMany(context: Context): number {
    const { reading } = this;
    const { wanted } = reading.said;
    if (!manyContexts.has(context)) {
      reading.error = ParserError.Multi;
      return None;
    }
    let count = 0;
    for (const object of this.byScore()) {
      if (count >= wanted || reading.many.length >= mostMatches - 1) break;
      if (this.isLeftOutOfAll(object) || object === player) continue;
      const isHeld = this.world.parent(object) === player;
      if ((context === 'multiheld' || context === 'multiexcept') && !isHeld) continue;
      if ((reading.deed === 'take' || reading.deed === 'remove') && isHeld) continue;
      reading.many.push(object);
      count++;
    }
    if (count < wanted && wanted < everything) {
      reading.error = ParserError.TooFew;
      reading.had = count;
      return None;
    }
    reading.manyContext = context;
    return Multiple;
  }

  private isGood(object: number, context: Context): boolean {
    const { secondAhead } = this.reading;
    const holder = this.world.parent(object);
    switch (context) {
      case 'held':
      case 'multiheld':
        return holder === player;
      case 'multi': {
        const { objects } = this.story;
        if (object === player || ((objects[object] as StoryObject).kinds & DirectionKind) !== 0) return false;
        return scopeCeiling(objects, this.world, object) === this.location();
      }
      case 'multiexcept':
        return secondAhead === -1 || object !== secondAhead;
      case 'multiinside':
        return secondAhead === -1 ? holder !== player : holder === secondAhead;
      case 'creature':
        return object === player;
      case 'any':
      case 'noun':
        return false;
    }
  }

  /** Rules for deciding whether all includes something. */
  private isLeftOutOfAll(object: number): boolean {
    const { kinds } = this.story.objects[object] as StoryObject;
    switch (this.reading.deed) {
      case 'take':
      case 'takeOff':
      case 'remove':
        return (kinds & (DirectionKind | PlayerKind | fixedKinds)) !== 0 || isEnclosed(this.world, object, player);
      case 'drop':
      case 'throwAt':
      case 'insert':
      case 'putOn':
        return (kinds & PlayerKind) !== 0;
      default:
        return false;
    }
  }

  /** Gives points to the matches, and leaves out those that are not what was said (`ScoreMatchL`). */
  private score(): void {
    const { reading, list } = this;
    const { said } = reading;
    const location = this.location();
    const isGuess = list.from > reading.count;
    const heldFirst = reading.deed !== 'take' && reading.deed !== 'remove';
    const kept: number[] = [];
    const scores: number[] = [];
    for (const [index, object] of list.objects.entries()) {
      const isDirection = ((this.story.objects[object] as StoryObject).kinds & DirectionKind) !== 0;
      const owner = isDirection ? compass : this.world.parent(object);
      if (said.mine && owner !== player) continue;
      if (said.here && owner !== location) continue;
      // Nothing is lit by itself.
      if (said.lit) continue;
      if (said.ownerIsAsked && (said.owner === 0 || owner !== said.owner)) continue;
      let score = (list.scores[index] as number) + perLikelihood * this.likelihood.of(object, isGuess);
      if (owner === player) score += heldFirst ? bestPlace : goodPlace;
      else if (owner === location) score += heldFirst ? goodPlace : bestPlace;
      else if (!isDirection) score += notDirection;
      if (!isDirection) score += notScenery;
      if (object !== player) score += unconcealed + notPlayer;
      if (said.fitsOne) score += rightCount;
      kept.push(object);
      scores.push(score);
    }
    list.objects = kept;
    list.scores = scores;
  }

  /** The object with the highest score; `Unclear` if several have it. */
  private singleBest(): number {
    let best = -1;
    let found = Unclear;
    for (const [index, object] of this.list.objects.entries()) {
      const score = this.list.scores[index] as number;
      if (score === best) found = Unclear;
      if (score > best) {
        best = score;
        found = object;
      }
    }
    return found;
  }

  /** Objects by score, those with equal scores in the order in which they were found. */
  private byScore(): readonly number[] {
    const { objects, scores } = this.list;
    const places = objects.map((_, index) => index);
    places.sort((one, other) => (scores[other] as number) - (scores[one] as number) || one - other);
    return places.map((place) => objects[place] as number);
  }
}
