import type { NounFinder } from './find-noun.js';
import { mostMatches } from './match-list.js';
import { ParserError } from './parser-replies.js';
import {
  type Context,
  everything,
  Interrupted,
  manyContexts,
  Multiple,
  None,
  type Reading,
  Rejected,
  Unclear,
} from './reading.js';
import { player } from './story-object.js';

/** What a slot takes besides its context: only directions, or nothing that there is. */
export type NameFilter = 'none' | 'direction' | 'switched';

/** The names of one slot of a line: "the red box, keys and all but it" (letters A to F of Inform's `ParseToken__`). */
export class NameParser {
  /** The pronoun that was read last, and what it means; -1 and 0: none. */
  private pronoun = { word: -1, object: 0 };
  /** The pronoun that an error is about. */
  unclearPronoun = { word: 0, object: 0 };
  /** Place of the first word of the last name that means nothing here. */
  mistake = 0;
  private start = 0;

  /** @param ask Asks the player which of several objects is meant; an object, `Multiple` or `Interrupted`. */
  constructor(
    private readonly reading: Reading,
    private readonly finder: NounFinder,
    private readonly ask: (context: Context) => number,
  ) {}

  /** An object, `Multiple` if several are meant, `Rejected` or `Interrupted`. */
  parse(context: Context, filter: NameFilter = 'none'): number {
    const { reading } = this;
    const { special } = reading;
    let isMany = false;
    let adds = true;
    let single = None;
    reading.dontInfer = false;
    for (;;) {
      const found = this.parseName(context, filter, isMany, adds);
      if (found === Interrupted || found === Rejected) return found;
      if (found === Multiple) isMany = true;
      else single = found;
      const word = reading.next();
      if (!reading.isConnective(word)) {
        reading.place--;
        break;
      }
      if (!manyContexts.has(context)) {
        // The line then understands a part of the command, which tells more.
        if (reading.triedMany) break;
        reading.error = ParserError.Multi;
        return this.reject();
      }
      if (special.but.includes(word)) adds = !adds;
      if (!isMany) reading.many = [single];
      isMany = true;
      reading.dontInfer = true;
      reading.inferFrom = 0;
    }
    if (isMany) {
      reading.manyContext = context;
      return Multiple;
    }
    const { indefinite, plural, wanted } = reading.said;
    if (!indefinite || !plural) return single;
    if (context === 'multiexcept' || context === 'multiinside') reading.manyContext = context;
    if (wanted <= 1 || wanted >= everything) return single;
    reading.had = 1;
    reading.error = ParserError.TooFew;
    return this.reject();
  }

  private parseName(context: Context, filter: NameFilter, isMany: boolean, adds: boolean): number {
    const { reading } = this;
    if (!this.readPronoun()) return Rejected;
    this.start = reading.place;
    reading.allowPlurals = true;
    let wantedBefore = 0;
    for (;;) {
      reading.readDescriptors();
      const found = this.parseNoun(context, filter, isMany, adds);
      if (found !== Rejected) return found;
      if (!reading.allowPlurals || !reading.said.guessedPlural) return this.reject(wantedBefore);
      // The number may be a part of the name.
      wantedBefore = reading.said.wanted;
      reading.allowPlurals = false;
      reading.place = this.start;
    }
  }

  /** Notes the pronoun that stands here, if one does. Returns whether it may be followed up. */
  private readPronoun(): boolean {
    const { reading } = this;
    const word = reading.place <= reading.count ? (reading.words[reading.place] as number) : 0;
    this.pronoun = { word: -1, object: 0 };
    const pronoun = reading.special.pronouns.indexOf(word);
    if (pronoun !== -1) {
      const object = reading.memory.pronouns[pronoun] as number;
      this.pronoun = { word, object };
      if (object === 0 && !reading.special.descriptors.includes(word)) {
        this.unclearPronoun = this.pronoun;
        reading.error = ParserError.Vague;
        return false;
      }
    }
    if (reading.special.me.includes(word)) this.pronoun = { word, object: player };
    return true;
  }

  private parseNoun(context: Context, filter: NameFilter, isMany: boolean, adds: boolean): number {
    const { reading, finder } = this;
    const isHeld = context === 'held';
    for (;;) {
      const first = reading.place;
      const before = reading.many.length;
      let found = this.find(context, filter);
      if (found === Interrupted) return Interrupted;
      if (!isHeld) {
        // "take all from" something that is empty.
        if (reading.said.wanted === everything && found === None && finder.list.objects.length === 0) found = Multiple;
        if (manyContexts.has(context) && !reading.triedMany) {
          if (reading.bestError === ParserError.Multi) reading.bestError = ParserError.Stuck;
          reading.triedMany = true;
        }
      }
      const isGuess = found > 0 && !isHeld && finder.list.length === 0;
      if ((found === None || isGuess) && reading.said.possiblyAmbiguous) {
        // The descriptor may be a part of the name.
        reading.resetSaid();
        reading.place = this.start;
        continue;
      }
      if (found === None) {
        if (!isHeld && reading.error === ParserError.Multi && reading.triedMany) reading.error = ParserError.Stuck;
        this.mistake = first;
        reading.error = this.unseen(filter);
        return Rejected;
      }
      if (context === 'creature' && found > 0 && found !== player) {
        reading.error = ParserError.Animate;
        return Rejected;
      }
      reading.place = finder.list.from + finder.list.length;
      if (!isMany) return found;
      const added = found === Multiple ? reading.many.splice(before) : [found];
      for (const object of added) this.addOrRemove(object, adds);
      return Multiple;
    }
  }

  private find(context: Context, filter: NameFilter): number {
    const { finder } = this;
    if (filter === 'switched') return finder.findNothing();
    const location = finder.location();
    const [first, second] = context === 'held' ? ([player, location] as const) : ([location, player] as const);
    const found = finder.find(first, second, context, filter === 'direction');
    return found === Unclear ? this.ask(context) : found;
  }

  private addOrRemove(object: number, adds: boolean): void {
    const { many } = this.reading;
    const place = many.indexOf(object);
    if (adds && place === -1 && many.length < mostMatches - 1) many.push(object);
    if (!adds && place !== -1) many.splice(place, 1);
  }

  private reject(wantedBefore = 0): typeof Rejected {
    const { reading } = this;
    if ((reading.said.wanted > 0 || wantedBefore > 0) && !reading.triedMany) reading.error = ParserError.Multi;
    return Rejected;
  }

  /** The best error for words that mean nothing that is here (`CantSee`). */
  private unseen(filter: NameFilter): ParserError {
    const { reading } = this;
    reading.place--;
    let error: ParserError = ParserError.CannotSee;
    if (reading.next() === this.pronoun.word) {
      const isLast = reading.place > reading.count;
      if (isLast || reading.tokens[reading.token] !== undefined) {
        error = filter === 'none' ? ParserError.ItGone : ParserError.NotInContext;
        if (filter === 'none') this.unclearPronoun = this.pronoun;
      }
    }
    return reading.error > error ? reading.error : error;
  }
}
