// Names of levels, without the levels: they are checked before anything is loaded.
import { planLengths } from './plan-lengths.js';

export const levelNames: readonly string[] = Object.keys(planLengths);
const known = new Set(levelNames);

/** The id of the original. One id counts up: its version 0 had another size. */
export const levelId = (name: string): string => `BabyAI-${name}-v${name === 'GoToObjS6' ? 1 : 0}`;

/** The name of the level with this name, or with this id in the original, such as `BabyAI-GoTo-v0`. */
export function findLevelName(given: string): string | undefined {
  if (known.has(given)) return given;
  const name = given.replace(/^BabyAI-/, '').replace(/-v\d$/, '');
  return known.has(name) && levelId(name) === given ? name : undefined;
}

/** The name that is most like a wrong one. */
export function nearestLevelName(wrong: string): string {
  const short = wrong
    .slice(0, 60)
    .replace(/^BabyAI-/i, '')
    .replace(/-v\d+$/, '')
    .toLowerCase();
  let nearest = '';
  let least = Infinity;
  for (const name of levelNames) {
    const distance = editDistance(short, name.toLowerCase());
    if (distance < least) [nearest, least] = [name, distance];
  }
  return nearest;
}

/** Letters to insert, remove or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, count) => count);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] as number) + (letter === to[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}
