import type { Deed } from './grammar.js';
import type { Refusal } from './refusal.js';

/** A command that is understood. */
export interface Order {
  readonly kind: 'order';
  readonly deed: Deed;
  /** 0 if there is none, or if it is one of `many`. */
  readonly noun: number;
  readonly second: number;
  /** The things that are meant one after the other, in place of one of the two nouns. */
  readonly many: readonly number[] | undefined;
  readonly manyIs: 'noun' | 'second';
  /** What was guessed, in brackets: `(the table)`. */
  readonly guessed: string | undefined;
  /** Commands after `then` or a full stop. */
  readonly rest: string | undefined;
}

/** A command that is not understood, or not yet: after a question, the next line may answer it. */
export interface Misunderstanding {
  readonly kind: 'error' | 'question';
  readonly text: string;
  readonly refusal: Refusal;
}
