// The names of other trainers, and the corresponding names here.
import { foreignKeys, type ForeignKey } from './foreign-keys.js';
import { plainName } from './nearest-name.js';
import { isKeyMap, type KeyPath } from './recipe-layer.js';

/** Algorithms here, and names that no plugin has, separated by spaces. */
const algorithms: { readonly [ours: string]: string } = {
  '`dr-grpo`': 'drgrpo',
  '`expert-iteration`': 'rejectionsampling raft rft star',
  '`reinforce` with `options: {baseline: greedy}`': 'remax',
  '`reinforce` with `options: {baseline: moving}`': 'reinforcebaseline',
  '`reinforce` with `options: {normalize: turns}`': 'rebn',
  '`reinforce-plus-plus`': 'reinforce++',
  '`reinforce-plus-plus` with `options: {baseline: group}`': 'reinforceplusplusbaseline reinforce++baseline',
};

/** More sentences are not read. */
const mostKeys = 4;

/**
 * What does here what a key of another trainer does: sentences, or undefined if the key is unknown.
 *
 * @param value value of the key; the known keys inside a map are explained instead of the map
 */
export function foreignKeyHint(path: KeyPath, value?: unknown): string | undefined {
  const hints = [...new Set(hintsOf(path, value))];
  return hints.length > 0 ? hints.slice(0, mostKeys).join(' ') : undefined;
}

function hintsOf(path: KeyPath, value: unknown): readonly string[] {
  const inner = isKeyMap(value) ? Object.entries(value).flatMap(([key, below]) => hintsOf([...path, key], below)) : [];
  const own = inner.length === 0 ? hintOf(path) : undefined;
  return own === undefined ? inner : [own];
}

/** The hint of the entry with the most words that the path ends with. */
function hintOf(path: KeyPath): string | undefined {
  const words = path.map((word) => plainName(String(word)));
  const names = words.length === 1 ? [`.${words[0]}`] : [];
  for (const name of [...names, ...words.map((_, i) => words.slice(i).join('.'))]) {
    const found = Object.hasOwn(foreignKeys, name) ? foreignKeys[name] : familyOf(name);
    if (found === undefined) continue;
    if (typeof found === 'string') return found;
    const [whose, ours] = found;
    return `\`${path.at(-1)}\` is what ${whose} ${whose.includes(' ') ? 'call' : 'calls'} it; here it is ${quoted(ours)}.`;
  }
  return undefined;
}

const families = Object.entries(foreignKeys).filter(([name]) => name.endsWith('*'));

/** The entry of the longest beginning that the name has. */
function familyOf(name: string): ForeignKey | undefined {
  const fit = families.filter(([family]) => name.startsWith(family.slice(0, -1)));
  return fit.toSorted(([a], [b]) => b.length - a.length)[0]?.[1];
}

/** Backquotes around each key of "a and b", "a, with b" or "a, or b". */
function quoted(ours: string): string {
  return ours.replaceAll(/^\w+$|[a-zA-Z]+(\.[a-zA-Z0-9]+)+|klIn: \w+|schedule: [\w-]+/g, (key) => `\`${key}\``);
}

/** The algorithm here for another trainer's name: `grpo`, or an algorithm with options. */
export function foreignAlgorithm(name: string): string | undefined {
  const known = plainName(name);
  return Object.keys(algorithms).find((ours) => algorithms[ours]?.split(' ').includes(known));
}
