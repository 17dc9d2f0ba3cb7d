// Inform's parser: which deed a command asks for, of which objects. The course of the parser is that of `Parser.i6t` of
// Inform 7 (6M62), because what it understands, guesses and asks depends on every turn that it takes; the names of
// routines in comments are those of the original.
import { NounFinder } from './find-noun.js';
import type { Deed, Line, Token } from './grammar.js';
import { mostMatches } from './match-list.js';
import type { Misunderstanding, Order } from './order.js';
import { type NameFilter, NameParser } from './parse-names.js';
import { errorReply, ParserError, questionWhat, questionWhich } from './parser-replies.js';
import { nameWithArticle } from './printed-names.js';
import {
  Accepted,
  type Context,
  Interrupted,
  manyContexts,
  Multiple,
  None,
  noText,
  type ParserMemory,
  prepositionBase,
  Reading,
  Rejected,
  Unclear,
  Value,
} from './reading.js';
import type { Refusal } from './refusal.js';
import { compass, scopeCeiling } from './scope.js';
import type { Story } from './story.js';
import { DirectionKind, player, type StoryObject } from './story-object.js';
import type { StoryWorld } from './story-world.js';

/** How often a command is taken apart anew before the parser gives up. */
const mostAttempts = 30;

const heldToken: Token = { slot: 'held' };

type Outcome = Order | Misunderstanding;

/** A parser for one session. It changes nothing of the world. */
export class CommandParser {
  private readonly reading: Reading;
  private readonly finder: NounFinder;
  private readonly names: NameParser;
  private answers: readonly string[] = [];
  private answered = 0;
  /** Why the command is taken apart anew, or not any more. */
  private interruption: Misunderstanding | 'again' = 'again';
  /** What an error is about. */
  private errorNoun = 0;
  /** The deed of a line whose list of things came out empty. */
  private emptyDeed: Deed | undefined;

  constructor(
    private readonly story: Story,
    private world: StoryWorld,
  ) {
    this.reading = new Reading(story);
    this.finder = new NounFinder(story, world, this.reading);
    this.names = new NameParser(this.reading, this.finder, (context) => this.ask(context));
  }

  get memory(): ParserMemory {
    return this.reading.memory;
  }

  /** Tells the parser what was talked about last. */
  notice(object: number): void {
    if (object !== player && object > 0) this.memory.pronouns[0] = object;
  }

  /**
   * Reads a command. `answers` are lines that answer questions which the same command raised before.
   *
   * @param world Where the player is now.
   */
  parse(command: string, world: StoryWorld, answers: readonly string[] = []): Outcome {
    const { reading } = this;
    this.world = world;
    this.finder.begin(world);
    this.answers = answers;
    this.answered = 0;
    reading.triedMany = false;
    reading.token = 0;
    reading.read(command);
    if (reading.count === 0) return this.misunderstood(ParserError.Blank);
    const first = reading.words[1] as number;
    if (reading.count === 1 && reading.special.undo.includes(first)) {
      return failed('Your interpreter does not provide "undo". Sorry!', 'not possible');
    }
    const failure = reading.special.oops.includes(first) ? this.correctMistake() : undefined;
    if (failure !== undefined) return failed(failure);
    this.memory.line = reading.text;
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const result = this.attempt();
      if (result !== Interrupted) return result;
      if (this.interruption !== 'again') return this.interruption;
    }
    return this.misunderstood(ParserError.Stuck);
  }

  /** `oops WORD` puts a word in the place of the one that was not understood. Returns why it cannot. */
  private correctMistake(): string | undefined {
    const { reading } = this;
    const { mistake, line } = this.memory;
    if (mistake === 0) return "Sorry, that can't be corrected.";
    if (reading.count === 1) return 'Think nothing of it.';
    if (reading.count > 2) return '"Oops" can only correct a single word.';
    const correction = reading.written(2);
    reading.read(line);
    const start = reading.starts[mistake] ?? 0;
    reading.read(line.slice(0, start) + correction + line.slice(reading.ends[mistake] ?? start));
    return undefined;
  }

  // --- The command as a whole (`Parser__parse`) ---

  private attempt(): Outcome | typeof Interrupted {
    const { reading, memory } = this;
    const { special } = reading;
    reading.line = undefined;
    reading.verbPlace = 1;
    for (let isAddressed = false; ; isAddressed = true) {
      reading.place = reading.verbPlace;
      reading.verb = reading.nextOrEnd();
      if (reading.verb === -1) return this.misunderstood(ParserError.Stuck);
      if (reading.verb === special.comma) return this.misunderstood(ParserError.BeginsWithComma);
      if (special.again.includes(reading.verb)) {
        if (isAddressed) return this.misunderstood(ParserError.AgainAddressed);
        if (memory.last === '') return failed('You can hardly repeat that.');
        return this.readAgain(memory.last);
      }
      memory.last = reading.text;
      if (!reading.isVerb(reading.verb)) {
        const direction = this.implicitDirection();
        if (direction === Interrupted) return Interrupted;
        if (direction > 0) return this.goOn(direction);
      }
      if (isAddressed) break;
      const person = this.addressee();
      if (typeof person === 'object') return person;
      if (person === None) break;
    }
    if (!reading.isVerb(reading.verb)) return this.misunderstood(ParserError.Verb);

    reading.bestError = ParserError.Stuck;
    reading.triedMany = false;
    this.emptyDeed = undefined;
    for (const line of this.story.grammar.lines.get(reading.verb) ?? []) {
      const result = this.tryLine(line);
      if (result !== None) return result;
      if (reading.error > reading.bestError) reading.bestError = reading.error;
      // "take all" where there is nothing to take.
      if (reading.takeAll === 2 && reading.error === ParserError.Nothing) break;
    }
    return this.misunderstood(reading.bestError);
  }

  /** The direction that a command begins with, in place of a verb. */
  private implicitDirection(): number {
    const { reading } = this;
    reading.place = reading.verbPlace;
    reading.resetSaid();
    reading.dontInfer = true;
    reading.parameters = 0;
    reading.deed = 'go';
    reading.tokens = [];
    const found = this.finder.find(compass, 0, 'any');
    return found === Unclear ? this.ask('any') : found;
  }

  /** "person, command": `None` if nobody is addressed, or the player, who is the only person. */
  private addressee(): number | Misunderstanding {
    const { reading, finder } = this;
    const comma = reading.words.indexOf(reading.special.comma, reading.verbPlace + 1);
    if (comma === -1) return None;
    reading.place = 1;
    reading.resetSaid();
    reading.lookahead = heldToken;
    const found = finder.find(player, finder.location(), 'creature');
    const person = found === Unclear ? (finder.list.objects[0] as number) : found;
    const isVerb = reading.isVerb(reading.verb);
    if (person <= 0) return isVerb ? None : this.misunderstood(ParserError.MissingPerson);
    if (person !== player) {
      this.errorNoun = person;
      return this.misunderstood(ParserError.CannotListen);
    }
    if (reading.place !== comma) return isVerb ? None : this.misunderstood(ParserError.ToTalk);
    reading.verbPlace = comma + 1;
    return person;
  }

  private tryLine(line: Line): Outcome | typeof Interrupted | typeof None {
    const { reading } = this;
    reading.line = line;
    reading.tokens = line.tokens;
    reading.deed = line.deed;
    reading.slotsWanted = line.slots;
    reading.manyContext = 'any';
    reading.secondAhead = -1;
    reading.said.indefinite = false;
    reading.startLine();
    if (!this.lookAhead()) return None;
    reading.takeAll =
      line.deed === 'take' && line.slots === 1 && line.tokens.some(({ slot }) => slot === 'multi') ? 1 : 0;
    reading.startLine();
    if (!this.endsRightly()) return None;
    for (reading.token = 1; ; reading.token++) {
      reading.pattern[reading.token] = noText;
      const token = reading.tokens[reading.token - 1];
      reading.lookahead = reading.tokens[reading.token];
      if (token === undefined) return this.finishLine(line);
      const result = this.parseToken(token);
      if (result === Interrupted) return Interrupted;
      if (result === Rejected) return None;
      if (result === Accepted) continue;
      reading.results[reading.parameters] = result;
      reading.parameters++;
      reading.pattern[reading.token] = result;
    }
  }

  /**
   * Finds the second noun of a line before the first one, where the first one depends on it. Returns whether the line
   * may fit.
   */
  private lookAhead(): boolean {
    const { reading, finder } = this;
    const { tokens } = reading;
    const first = tokens.findIndex(({ slot }) => slot !== undefined);
    const place = tokens.findIndex(({ slot }) => slot === 'multiexcept' || slot === 'multiinside');
    if (place === -1 || (place !== first && tokens[place]?.slot === 'multiinside')) return true;
    reading.token = place + 1;
    if (tokens[reading.token]?.words === undefined) return true;
    if (!this.passPrepositions()) return false;
    if (tokens[reading.token]?.slot !== 'noun') return true;
    reading.readDescriptors();
    const [result = 0] = reading.results;
    const { parameters } = reading;
    reading.parameters = 1;
    reading.results[0] = 0;
    const found = finder.find(finder.location(), player, 'noun');
    const object = found === Unclear ? (finder.list.objects[0] as number) : found;
    reading.parameters = parameters;
    reading.results[0] = result;
    if (object > 0) reading.secondAhead = object;
    return true;
  }

  /** Goes behind the prepositions of the line, whatever words stand before them. */
  private passPrepositions(): boolean {
    const { reading } = this;
    let word = this.skipToPreposition(reading.count);
    if (reading.place <= reading.count) {
      while (this.present()?.words !== undefined) {
        if (this.present()?.words?.includes(word) === true) {
          reading.token++;
          if (reading.place <= reading.count) word = reading.next();
        } else {
          word = this.skipToPreposition(reading.count - 1);
          if (!reading.isPreposition(word)) return false;
        }
      }
    }
    reading.place--;
    return true;
  }

  /** Reads on to a preposition, but not behind the word at `last` and the one after it. */
  private skipToPreposition(last: number): number {
    const { reading } = this;
    for (;;) {
      const word = reading.next();
      if (reading.place > last || reading.isPreposition(word)) return word;
    }
  }

  private present(): Token | undefined {
    return this.reading.tokens[this.reading.token];
  }

  /** A line that ends with a preposition fits only a command that does. */
  private endsRightly(): boolean {
    const { reading } = this;
    const last = reading.tokens.at(-1);
    if (last?.words === undefined) return true;
    return reading.count > reading.verbPlace && last.words.includes(reading.words[reading.count] as number);
  }

  private parseToken(token: Token): number {
    if (token.slot === undefined) return this.parsePreposition(token.words);
    if (token.slot === 'topic') return this.parseTopic();
    const filter: NameFilter = token.slot === 'direction' || token.slot === 'switched' ? token.slot : 'none';
    return this.names.parse(filter === 'none' ? (token.slot as Context) : 'noun', filter);
  }

  private parsePreposition(words: readonly number[]): number {
    const { reading } = this;
    if (reading.place > reading.count) {
      // The rest of the line is guessed, if anything of it is still wanted.
      if (reading.inferFrom === 0 && reading.parameters < reading.slotsWanted) reading.inferFrom = reading.token;
      if (reading.inferFrom === 0) return Rejected;
      reading.pattern[reading.token] = prepositionBase + (words[0] as number);
      return Accepted;
    }
    const word = reading.next();
    reading.pattern[reading.token] = prepositionBase + word;
    return words.includes(word) ? Accepted : Rejected;
  }

  private parseTopic(): number {
    const { reading } = this;
    const from = reading.place;
    const next = this.present();
    let word = reading.nextOrEnd();
    while (word !== -1 && next?.words?.includes(word) !== true) word = reading.nextOrEnd();
    reading.place--;
    if (reading.place === from) return Rejected;
    if (reading.deed === 'ask' || reading.deed === 'answer' || reading.deed === 'tell') return Value;
    reading.slotsWanted--;
    return word === -1 && next?.words !== undefined ? Rejected : Accepted;
  }

  /** The line fits so far: is the command at its end? */
  private finishLine(line: Line): Outcome | typeof None {
    const { reading } = this;
    const chained = reading.place <= reading.count ? reading.place : 0;
    if (chained > 0 && !reading.endsCommand(reading.words[chained] as number)) {
      this.memory.partial = reading.pattern.slice(0, reading.token);
      reading.error = ParserError.Upto;
      return None;
    }
    const [first = None, second = None] = reading.results.slice(0, reading.parameters);
    if ((first === Multiple && !this.reviseMany(second)) || (second === Multiple && !this.reviseMany(first))) {
      this.emptyDeed = line.deed;
      reading.error = ParserError.Nothing;
      return None;
    }
    if (first > 0 && second > 0 && this.isUseless(first, second)) {
      this.emptyDeed = line.deed;
      return this.misunderstood(ParserError.Nothing);
    }
    if (reading.takeAll === 2 && first === player) return this.misunderstood(ParserError.Nothing);
    this.memory.mistake = 0;
    const { inferFrom, pattern, token } = reading;
    const [noun, other] = line.reversed && reading.parameters === 2 ? [second, first] : [first, second];
    this.notice(noun);
    const order: Order = {
      kind: 'order',
      deed: line.deed,
      noun: Math.max(noun, 0),
      second: Math.max(other, 0),
      many: first === Multiple || second === Multiple ? reading.many : undefined,
      manyIs: noun === Multiple ? 'noun' : 'second',
      guessed: inferFrom === 0 ? undefined : `(${this.patternText(pattern, inferFrom, token)})`,
      rest: undefined,
    };
    return chained === 0 ? order : this.withRest(order, chained);
  }

  /** Removes what does not fit the other noun from the list; false if nothing is left (`ReviseMulti`). */
  private reviseMany(other: number): boolean {
    const { reading, world } = this;
    const { objects } = this.story;
    const ceiling = this.finder.location();
    if (reading.manyContext === 'multiexcept') {
      reading.many = reading.many.filter((object) => object !== other);
    } else if (reading.manyContext === 'multiinside') {
      reading.many = reading.many.filter((object) => world.parent(object) === other);
    } else if (reading.manyContext === 'multi' && reading.takeAll === 2) {
      reading.many = reading.many.filter((object) => scopeCeiling(objects, world, object) === ceiling);
    }
    return reading.many.length > 0;
  }

  /** "put all in box" where all is the box. */
  private isUseless(first: number, second: number): boolean {
    const { manyContext } = this.reading;
    if (manyContext === 'multiexcept') return first === second;
    const isApart = this.world.parent(first) !== second && this.world.parent(second) !== first;
    return manyContext === 'multiinside' && isApart;
  }

  /** A direction, and possibly further commands. */
  private goOn(direction: number): Outcome {
    const { reading } = this;
    const order: Order = {
      kind: 'order',
      deed: 'go',
      noun: direction,
      second: 0,
      many: undefined,
      manyIs: 'noun',
      guessed: undefined,
      rest: undefined,
    };
    if (reading.place > reading.count) return order;
    if (reading.endsCommand(reading.words[reading.place] as number)) return this.withRest(order, reading.place);
    return failed(`I only understood you as far as wanting to (go) ${this.soFar(this.memory.partial)}.`);
  }

  /** The order with what comes after a separator. */
  private withRest(order: Order, separator: number): Order {
    const { text, starts, count } = this.reading;
    this.memory.last = text.slice(0, starts[separator]);
    return separator === count ? order : { ...order, rest: text.slice(starts[separator + 1]) };
  }

  // --- Errors and questions ---

  private misunderstood(error: ParserError): Misunderstanding {
    const { memory, names, story, world, reading } = this;
    if (error === ParserError.Stuck) memory.mistake = 1;
    else if (error === ParserError.CannotSee) memory.mistake = names.mistake;
    const isOf = error === ParserError.Nothing && this.emptyDeed === 'remove';
    return errorReply(story, world, error, {
      soFar: error === ParserError.Upto ? this.soFar(memory.partial) : '',
      pronoun: story.vocabulary.form(names.unclearPronoun.word),
      pronounObject: names.unclearPronoun.object,
      person: this.errorNoun,
      holder: isOf ? Math.max(reading.results[1] as number, 0) : 0,
      had: reading.had,
    });
  }

  /** The command so far: verb and pattern (`PrintCommand`). */
  private soFar(pattern: readonly number[]): string {
    const { verb, special } = this.reading;
    const text = special.spelledOut.get(verb) ?? this.story.vocabulary.form(Math.max(verb, 0));
    const rest = this.patternText(pattern, 1, pattern.length);
    return rest === '' ? text : `${text} ${rest}`;
  }

  private patternText(pattern: readonly number[], from: number, to: number): string {
    const texts: string[] = [];
    for (let place = from; place < to; place++) {
      const entry = pattern[place] ?? noText;
      if (entry === noText) continue;
      if (entry === Multiple) texts.push('those things');
      else if (entry === Value) texts.push('that');
      else if (entry >= prepositionBase) texts.push(this.story.vocabulary.form(entry - prepositionBase));
      else {
        const isDirection = ((this.story.objects[entry] as StoryObject).kinds & DirectionKind) !== 0;
        texts.push(nameWithArticle(this.story, this.world, entry, isDirection ? 'none' : 'the', false));
      }
    }
    return texts.join(' ');
  }

  /** Asks which object is meant, or what, if nothing was said. */
  private ask(context: Context): number {
    const { reading, finder } = this;
    return finder.list.from > reading.count ? this.askWhat(context) : this.askWhich(context);
  }

  private askWhich(context: Context): number {
    const { reading, story, world } = this;
    const { objects, from } = this.finder.list;
    const names = objects.map((object) => nameWithArticle(story, world, object, 'the', false));
    let question = questionWhich(names);
    for (;;) {
      const answer = this.answer(question, 'ambiguous');
      if (answer === undefined) return Interrupted;
      const first = this.firstWord(answer);
      if (reading.special.all.includes(first)) {
        if (manyContexts.has(context)) {
          reading.many.push(...objects.slice(0, Math.max(0, mostMatches - reading.many.length)));
          return Multiple;
        }
        question = 'Sorry, you can only have one item here. Which exactly?';
        continue;
      }
      if (this.isCommand(answer, first)) return this.readAgain(answer);
      const place = reading.starts[from] ?? reading.text.length;
      return this.readAgain(`${reading.text.slice(0, place)}${answer} ${reading.text.slice(place)}`);
    }
  }

  private askWhat(context: Context): number {
    const { reading } = this;
    const question = questionWhat(this.soFar(reading.pattern.slice(0, reading.token)), context === 'creature');
    const answer = this.answer(question, 'incomplete');
    if (answer === undefined) return Interrupted;
    if (this.isCommand(answer, this.firstWord(answer))) return this.readAgain(answer);
    let { text } = reading;
    for (let place = reading.inferFrom; place > 0 && place < reading.token; place++) {
      const entry = reading.pattern[place] ?? noText;
      if (entry >= prepositionBase) {
        text += ` ${this.story.vocabulary.form(entry - prepositionBase)}`;
      } else if (entry > 0) {
        this.notice(entry);
        text += ' it';
      }
    }
    return this.readAgain(`${text} ${answer}`);
  }

  /** The next answer that was given; undefined if the question has to be asked. */
  private answer(question: string, refusal: Refusal): string | undefined {
    const answer = this.answers[this.answered];
    if (answer === undefined) {
      this.interruption = { kind: 'question', text: question, refusal };
      return undefined;
    }
    this.answered++;
    return answer.slice(0, this.reading.limits.characters).toLowerCase();
  }

  private readAgain(text: string): typeof Interrupted {
    this.reading.read(text);
    this.interruption = 'again';
    return Interrupted;
  }

  private firstWord(line: string): number {
    const [first = ''] = /[^\s.,"]+/.exec(line) ?? [];
    return this.reading.find(first);
  }

  /** Whether an answer is a command of its own. */
  private isCommand(line: string, first: number): boolean {
    return line.includes(',') || (this.reading.isVerb(first) && !this.reading.special.answers.has(first));
  }
}

function failed(text: string, refusal: Refusal = 'not understood'): Misunderstanding {
  return { kind: 'error', text, refusal };
}
