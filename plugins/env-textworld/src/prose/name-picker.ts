import type { NumpyRandom } from '../generate/numpy-random.js';
import {
  adjectives,
  kindWords,
  roomAdjectives,
  roomNouns,
  roomTypes,
  type AdjectiveGroup,
  type Kind,
  type RoomType,
} from './house-words.js';
import { NameBook } from './name-book.js';

/** A printed name and what it consists of. */
export interface Name {
  readonly name: string;
  readonly adjective: string | null;
  readonly noun: string;
}

export interface ThingNeeds {
  readonly kind: Kind;
  /** Of the room that it is in, if it is in a room. */
  readonly roomType: RoomType | undefined;
  /** It has a key or is one. */
  readonly isPaired: boolean;
  /** The adjective of its key or lock, once that has one. */
  readonly shared: string | undefined;
  /** The noun that it must have. */
  readonly noun: string | undefined;
}

/** How many names a game needs. */
export interface NameCounts {
  readonly rooms: number;
  readonly things: Readonly<Partial<Record<Kind, number>>>;
  /** Keys that fit something and whose names, and those of what they fit, are to be drawn. */
  readonly pairs: number;
}

const quickAttempts = 16;
/** Where there are more rooms, or more things of a kind, all of them have adjectives: nouns can be used again then. */
const mostPlain = { rooms: 40, things: 8 };
const allAdjectives: readonly string[] = Object.values(adjectives).flat();

/**
 * Draws the names of a game. Things have adjectives of their own as long as there are any, but for a key and what it
 * fits, which share one. Later adjectives are used again, though not those of keys. Only if no words are left, a
 * name gets a number.
 */
export class NamePicker {
  private readonly book = new NameBook();
  private readonly usedAdjectives = new Set<string>();
  private readonly pairedAdjectives = new Set<string>();
  private unnamedPairs: number;

  constructor(
    private readonly random: NumpyRandom,
    private readonly counts: NameCounts,
  ) {
    this.unnamedPairs = counts.pairs;
  }

  /** Keeps a name, and those of its words that are adjectives, from being drawn. */
  reserve(name: string): void {
    this.book.add(name);
    for (const word of name.split(' ')) if (allAdjectives.includes(word)) this.usedAdjectives.add(word);
  }

  /** A name for a room of the type or, if there is none left, of any type. */
  room(type: RoomType): Name {
    const { random } = this;
    const isPlain = this.counts.rooms <= mostPlain.rooms;
    const draw = (nouns: readonly string[]): Name => {
      const noun = random.choice(nouns);
      return named(isPlain ? null : random.choice(roomAdjectives), noun);
    };
    for (let attempt = 0; attempt < quickAttempts; attempt++) {
      const candidate = draw(roomNouns[type]);
      if (this.book.isFree(candidate.name)) return this.take(candidate);
    }
    const nouns = [type, ...random.permutation(roomTypes)].flatMap((each) => roomNouns[each]);
    for (const noun of nouns) {
      for (const adjective of isPlain ? [null] : roomAdjectives) {
        const candidate = named(adjective, noun);
        if (this.book.isFree(candidate.name)) return this.take(candidate);
      }
    }
    return this.numbered(nouns);
  }

  thing(needs: ThingNeeds): Name {
    const { kind, isPaired, shared } = needs;
    const nouns = needs.noun === undefined ? fittingNouns(kind, needs.roomType) : [needs.noun];
    const name =
      (shared === undefined ? undefined : this.withAdjective(nouns, shared)) ??
      this.drawn(nouns, this.plainShare(kind), this.freshAdjectives(kind, isPaired)) ??
      this.leftOver(needs.noun === undefined ? allNouns(kind) : nouns, kind);
    if (isPaired && name.adjective !== null) {
      if (!this.pairedAdjectives.has(name.adjective)) this.unnamedPairs--;
      this.pairedAdjectives.add(name.adjective);
    }
    return name;
  }

  private withAdjective(nouns: readonly string[], adjective: string): Name | undefined {
    for (let attempt = 0; attempt < quickAttempts; attempt++) {
      const candidate = named(adjective, this.random.choice(nouns));
      if (this.book.isFree(candidate.name)) return this.take(candidate);
    }
    return undefined;
  }

  private drawn(nouns: readonly string[], plainShare: number, fresh: readonly string[]): Name | undefined {
    if (fresh.length === 0) return undefined;
    for (let attempt = 0; attempt < quickAttempts; attempt++) {
      const noun = this.random.choice(nouns);
      const isPlain = plainShare > 0 && this.random.random() < plainShare;
      const candidate = named(isPlain ? null : this.random.choice(fresh), noun);
      if (this.book.isFree(candidate.name)) return this.take(candidate);
    }
    return undefined;
  }

  /** Adjectives that nothing has, of the first group that has some; none if pairs still need all of them. */
  private freshAdjectives(kind: Kind, isPaired: boolean): readonly string[] {
    const isFresh = (adjective: string): boolean => !this.usedAdjectives.has(adjective);
    if (!isPaired && allAdjectives.filter(isFresh).length <= this.unnamedPairs) return [];
    for (const group of kindWords[kind].groups) {
      const fresh = adjectives[group].filter(isFresh);
      if (fresh.length > 0) return fresh;
    }
    return [];
  }

  /** A name for which no new adjective is needed. */
  private leftOver(nouns: readonly string[], kind: Kind): Name {
    const { groups } = kindWords[kind];
    const isFree = ({ name }: Name): boolean => this.book.isFree(name);
    const shuffled = this.random.permutation([...new Set(nouns)]);
    const plain = this.plainShare(kind) > 0 ? shuffled.map((noun) => named(null, noun)).find(isFree) : undefined;
    if (plain) return this.take(plain);
    const others: AdjectiveGroup[] = (['thing', 'food', 'lock'] as const).filter((group) => !groups.includes(group));
    const candidates = [...groups, ...others]
      .flatMap((group) => this.random.permutation(adjectives[group]))
      .filter((adjective) => !this.pairedAdjectives.has(adjective));
    for (const adjective of candidates) {
      const found = shuffled.map((noun) => named(adjective, noun)).find(isFree);
      if (found) return this.take(found);
    }
    return this.numbered(shuffled);
  }

  private numbered(nouns: readonly string[]): Name {
    for (let number = 1; ; number++) {
      // A noun that is a name by itself is of no use with a number; the last word always becomes free.
      const candidates = [...nouns.map((noun) => `${noun} ${number}`), `thing${number}`];
      const free = candidates.find((candidate) => this.book.isFree(candidate));
      if (free !== undefined) return this.take(named(null, free));
    }
  }

  private plainShare(kind: Kind): number {
    return (this.counts.things[kind] ?? 0) > mostPlain.things ? 0 : kindWords[kind].plainShare;
  }

  private take(name: Name): Name {
    this.book.add(name.name);
    if (name.adjective !== null) this.usedAdjectives.add(name.adjective);
    return name;
  }
}

function named(adjective: string | null, noun: string): Name {
  return { name: adjective === null ? noun : `${adjective} ${noun}`, adjective, noun };
}

function fittingNouns(kind: Kind, roomType: RoomType | undefined): readonly string[] {
  const { anywhere, inRooms } = kindWords[kind];
  // What belongs into rooms of this type only is found there more often than what may be anywhere.
  const fitting = (roomType && inRooms?.[roomType]) ?? [];
  return [...anywhere, ...fitting, ...fitting, ...fitting];
}

function allNouns(kind: Kind): readonly string[] {
  const { anywhere, inRooms } = kindWords[kind];
  return [...anywhere, ...Object.values(inRooms ?? {}).flat()];
}
