import type { Fragment, Instructions, Interpreter } from './interpreter.js';

/** At most so many pieces of code are kept compiled; a large real story has 10,000. */
const mostFragments = 30_000;

/** Tables that the interpreter makes at each start of a story, always with the same content. */
export type StartTables = Pick<
  Interpreter,
  'alphabets' | 'unicode_table' | 'reverse_unicode_table' | 'abbr_addr' | 'dict' | 'dictionaries'
>;

/**
 * What games of one story share: its compiled code and its dictionary. They come from memory that cannot change, so no
 * game sees whether others play.
 */
export class StoryCode {
  /** Place in `fragments` of the piece that begins at an address; 0: none yet. */
  readonly places: Uint16Array;
  readonly fragments: Fragment[] = [() => undefined];
  /** Work of running each piece. */
  readonly costs: number[] = [0];
  instructions: Instructions | undefined;
  startTables: StartTables | undefined;
  /** Memory that can change, as it is at the start. */
  startMemory: Uint8Array | undefined;

  /** Code of a story of `length` bytes. */
  constructor(length: number) {
    this.places = new Uint16Array(length);
  }

  /** Keeps a compiled piece and returns its place. */
  keep(address: number, fragment: Fragment, cost: number): number {
    if (this.fragments.length > mostFragments) {
      this.places.fill(0);
      this.fragments.length = 1;
      this.costs.length = 1;
    }
    this.fragments.push(fragment);
    this.costs.push(cost);
    return (this.places[address] = this.fragments.length - 1);
  }
}
