/*
 * The conditions and texts of a game from outside may have more solutions than any computer can try. What searches and texts
 * try is counted from one step of a game to the next. Steps never overlap, so one counter is enough.
 */

/** A step of the recorded games of ALFWorld needs 14,000. */
const mostTries = 2_000_000;
let tries = 0;

/** Begins a step of a game. */
export function beginStep(): void {
  tries = 0;
}

/** Counts a try. Throws if the step has too many. */
export function countTry(): void {
  tries += 1;
  if (tries <= mostTries) return;
  throw new Error(`its conditions and texts have too many solutions: ${mostTries} were tried in one step`);
}
