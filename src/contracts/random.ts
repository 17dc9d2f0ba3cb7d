/**
 * A source of seeded random numbers.
 *
 * Streams are counter-based: a stream is a pure function of its seed and its path, and does not depend on how many
 * numbers its parent drew. So results do not depend on the order in which parts of a program draw numbers.
 */
export interface Random {
  /** A float64 in [0, 1). */
  uniform(): number;
  /** An integer in [low, high). Throws a RangeError if the interval is empty. */
  integer(low: number, high: number): number;
  /** A number from the standard normal distribution. */
  normal(): number;
  /** One of the items, with equal probability. Throws a RangeError for an empty list. */
  choice<T>(items: readonly T[]): T;
  /** A new list with the items in random order. */
  shuffle<T>(items: readonly T[]): T[];
  /** The substream with this path; the same path always gives the same numbers. */
  stream(...path: readonly (string | number)[]): Random;
}
