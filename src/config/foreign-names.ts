// The names of other trainers, and the corresponding names here.
import { foreignKeys } from './foreign-keys.js';
import { isKeyMap, type KeyPath } from './recipe-layer.js';

/** Algorithms by names that no plugin has. */
const algorithms: { readonly [name: string]: string } = {
  drgrpo: '`dr-grpo`',
  rebn: '`reinforce` with `options: {normalize: turns}`',
  reinforcebaseline: '`reinforce` with `options: {baseline: moving}`',
  reinforceplusplusbaseline: '`reinforce-plus-plus` with `options: {baseline: group}`',
  'reinforce++': '`reinforce-plus-plus`',
  'reinforce++baseline': '`reinforce-plus-plus` with `options: {baseline: group}`',
  rejectionsampling: '`expert-iteration`',
  remax: '`reinforce` with `options: {baseline: greedy}`',
  raft: '`expert-iteration`',
  rft: '`expert-iteration`',
  star: '`expert-iteration`',
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

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
  const words = path.map((word) => plain(String(word)));
  const names = words.length === 1 ? [`.${words[0]}`] : [];
  for (const name of [...names, ...words.map((_, i) => words.slice(i).join('.'))]) {
    const found = Object.hasOwn(foreignKeys, name) ? foreignKeys[name] : undefined;
    if (found === undefined) continue;
    if (typeof found === 'string') return found;
    const [whose, ours] = found;
    return `\`${path.at(-1)}\` is what ${whose} ${whose.includes(' ') ? 'call' : 'calls'} it; here it is ${quoted(ours)}.`;
  }
  return undefined;
}

/** Backquotes around each key of "a and b", "a, with b" or "a, or b". */
function quoted(ours: string): string {
  return ours.replaceAll(/^\w+$|[a-zA-Z]+(\.[a-zA-Z0-9]+)+|klIn: \w+|schedule: [\w-]+/g, (key) => `\`${key}\``);
}

/** The algorithm here for another trainer's name: `grpo`, or an algorithm with options. */
export function foreignAlgorithm(name: string): string | undefined {
  const known = plain(name);
  return Object.hasOwn(algorithms, known) ? algorithms[known] : undefined;
}
