import { descriptors, type Deed, type Line, pronounWords, type Slot, type Token } from './grammar.js';
import { ParserError } from './parser-replies.js';
import { type SpecialWords, specialWordsOf } from './special-words.js';
import type { Story } from './story.js';
import { PrepositionWord, VerbWord } from './vocabulary.js';

/** What the parser remembers from one command to the next. */
export interface ParserMemory {
  /** Objects that `it`, `him`, `her` and `them` mean; 0: nothing yet. */
  readonly pronouns: number[];
  /** The last command, for `again`. */
  last: string;
  /** The last line that was typed, and the word of it that was not understood, for `oops`; 0: none. */
  line: string;
  mistake: number;
  /** Tokens of a line that understood only a part of a command. */
  partial: readonly number[];
}

function freshMemory(): ParserMemory {
  return { pronouns: [0, 0, 0, 0], last: '', line: '', mistake: 0, partial: [] };
}

// Results of a token or a noun that are no objects.
export const None = 0;
export const Multiple = -1;
export const Interrupted = -2;
export const Value = -3;
export const Accepted = -4;
export const Rejected = -5;
/** Several objects are meant, and nothing tells which. */
export const Unclear = -6;

// Entries of a pattern that are no objects. Prepositions are written as their word behind `prepositionBase`.
export const noText = -9;
export const prepositionBase = 1 << 24;

/** As many things as there are. */
export const everything = 32767;

/** What kind of name is looked for; `any`: outside of a line of the grammar. */
export type Context = 'any' | Exclude<Slot, 'topic' | 'direction' | 'switched'>;

export const manyContexts: ReadonlySet<string> = new Set(['multi', 'multiheld', 'multiexcept', 'multiinside']);

/** What was said before a name. */
export interface Said {
  /** Not `the`. */
  indefinite: boolean;
  plural: boolean;
  mine: boolean;
  here: boolean;
  lit: boolean;
  unlit: boolean;
  /** Whether it is someone's, and whose; 0: of nobody who is known. */
  ownerIsAsked: boolean;
  owner: number;
  /** How many things are wanted; 0: nothing was said. */
  wanted: number;
  guessedPlural: boolean;
  possiblyAmbiguous: boolean;
  fitsOne: boolean;
  /** Where a number stands. */
  numberPlace: number;
}

function nothingSaid(): Said {
  return {
    indefinite: false,
    plural: false,
    mine: false,
    here: false,
    lit: false,
    unlit: false,
    ownerIsAsked: false,
    owner: 0,
    wanted: 0,
    guessedPlural: false,
    possiblyAmbiguous: false,
    fitsOne: true,
    numberPlace: 0,
  };
}

/** How much of a command is read: by the Z-machine's input buffer and table of words, or more. */
const storyLimits = { characters: 118, words: 15 };
const wideLimits = { characters: 500, words: 80 };

/**
 * A command as far as it is read: its words, the line of the grammar that is tried, what was said before a name. These
 * are the variables that the parts of Inform's parser share.
 */
export class Reading {
  memory: ParserMemory = freshMemory();
  readonly special: SpecialWords;
  readonly limits: { readonly characters: number; readonly words: number };

  // Words count from 1. `place` is the next one.
  text = '';
  words: number[] = [];
  starts: number[] = [];
  ends: number[] = [];
  count = 0;
  place = 1;
  verb = 0;
  verbPlace = 1;

  // The line of the grammar. `token` is the number of the present token, from 1.
  line: Line | undefined;
  tokens: readonly Token[] = [];
  lookahead: Token | undefined;
  deed: Deed = 'wait';
  token = 0;
  pattern: number[] = [];
  parameters = 0;
  readonly results: number[] = [0, 0];
  slotsWanted = 0;
  inferFrom = 0;
  dontInfer = false;
  /** The second noun, if it was found before the first one; -1: it was not. */
  secondAhead = -1;
  /** 1: "all" of this line would mean to take everything; 2: it does. */
  takeAll: 0 | 1 | 2 = 0;
  /** Things that are meant together. */
  many: number[] = [];
  manyContext: Context = 'any';
  triedMany = false;
  had = 0;

  error: ParserError = ParserError.Stuck;
  bestError: ParserError = ParserError.Stuck;

  said: Said = nothingSaid();
  allowPlurals = true;

  constructor(private readonly story: Story) {
    this.special = specialWordsOf(story);
    this.limits = story.corrections.readsLongCommands ? wideLimits : storyLimits;
  }

  /** Takes a line apart into words (`VM_Tokenise`). */
  read(command: string): void {
    const text = command.slice(0, this.limits.characters).toLowerCase();
    this.text = text;
    this.words = [0];
    this.starts = [0];
    this.ends = [0];
    let start = -1;
    for (let place = 0; place <= text.length && this.words.length <= this.limits.words; place++) {
      const character = text[place];
      const isSeparator = character === ',' || character === '.' || character === '"';
      const isSpace = character === undefined || character <= ' ' || character === '\u00a0';
      if (!isSeparator && !isSpace) {
        if (start === -1) start = place;
        continue;
      }
      if (start !== -1) this.add(this.find(text.slice(start, place)), start, place);
      start = -1;
      if (!isSeparator || this.words.length > this.limits.words) continue;
      const word = character === '"' ? 0 : character === ',' ? this.special.comma : this.special.then;
      this.add(word, place, place + 1);
    }
    this.count = this.words.length - 1;
    this.place = 1;
  }

  private add(word: number, start: number, end: number): void {
    this.words.push(word);
    this.starts.push(start);
    this.ends.push(end);
  }

  /** The number of a word. A keyboard of the Z-machine has no other letters than those of English. */
  find(word: string): number {
    if (!this.story.corrections.readsAllLetters && /[^ -~]/.test(word)) return 0;
    return this.story.vocabulary.find(word);
  }

  next(): number {
    const word = this.place >= 1 && this.place <= this.count ? (this.words[this.place] as number) : 0;
    this.place++;
    return word;
  }

  /** Like `next`; -1 at the end. */
  nextOrEnd(): number {
    if (this.place >= 1 && this.place <= this.count) return this.next();
    this.place++;
    return -1;
  }

  /** The characters of a word. */
  written(place: number): string {
    return this.text.slice(this.starts[place], this.ends[place]);
  }

  is(word: number, bit: number): boolean {
    return word > 0 && this.story.vocabulary.has(word, bit);
  }

  isVerb(word: number): boolean {
    return this.is(word, VerbWord);
  }

  isPreposition(word: number): boolean {
    return this.is(word, PrepositionWord);
  }

  isConnective(word: number): boolean {
    const { comma, and, but } = this.special;
    return word === comma || and.includes(word) || but.includes(word);
  }

  endsCommand(word: number): boolean {
    return word === this.special.then || word === this.special.comma;
  }

  /** The number that a word stands for; 0 if for none (`TryNumber`). */
  numberAt(place: number): number {
    const named = this.special.numbers.indexOf(this.words[place] ?? -1);
    if (named !== -1) return named + 1;
    const text = this.written(place);
    if (!/^[0-9]+$/.test(text)) return 0;
    return text.length > 4 ? 10_000 : Number(text);
  }

  /** Begins a line of the grammar, or begins it anew. */
  startLine(): void {
    this.inferFrom = 0;
    this.parameters = 0;
    this.many = [];
    this.error = ParserError.Stuck;
    this.place = this.verbPlace + 1;
  }

  resetSaid(): void {
    this.said = nothingSaid();
  }

  /** Reads articles, owners, numbers and "all" before a name (`Descriptors`). */
  readDescriptors(): void {
    const said = nothingSaid();
    this.said = said;
    if (this.place > this.count) return;
    for (let more = true; more;) {
      more = false;
      const word = this.nextOrEnd();
      const descriptor = this.special.descriptors.indexOf(word);
      if (descriptor !== -1) {
        more = true;
        this.noteDescriptor(descriptor);
      }
      if (this.special.other.includes(word)) {
        more = true;
        said.indefinite = true;
      }
      if (this.special.all.includes(word)) {
        more = true;
        said.indefinite = true;
        said.plural = true;
        said.wanted = everything;
        if (this.takeAll === 1) this.takeAll = 2;
      }
      const number = this.allowPlurals && this.isFollowed() ? this.numberAt(this.place - 1) : 0;
      if (number > 0) {
        more = true;
        said.indefinite = true;
      }
      if (number > 1) {
        said.guessedPlural = true;
        said.plural = true;
        said.wanted = number;
        said.numberPlace = this.place - 1;
      }
      if (more && !this.special.of.includes(this.nextOrEnd())) this.place--;
    }
    this.place--;
  }

  /** Whether the command goes on here. */
  private isFollowed(): boolean {
    return this.place <= this.count && this.words[this.place] !== this.special.then;
  }

  private noteDescriptor(index: number): void {
    const { said } = this;
    const { kind, count, owner } = descriptors[index] as (typeof descriptors)[number];
    said.possiblyAmbiguous = true;
    if (kind !== 'definite') said.indefinite = true;
    if (count === 'plural') said.fitsOne = false;
    if (kind === 'mine') said.mine = true;
    if (kind === 'here') said.here = true;
    if (kind === 'lit') said.lit = true;
    if (kind === 'unlit') said.unlit = true;
    if (kind === 'owner' && owner !== undefined) {
      said.ownerIsAsked = true;
      said.owner = this.memory.pronouns[pronounWords.indexOf(owner)] as number;
    }
  }
}
