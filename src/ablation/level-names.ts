import { isKeyMap } from '../config/recipe-layer.js';
import type { Json } from '../contracts/json.js';

/** The name of a value of a grid's key, for people. */
export interface LevelName {
  /** `sparse`, `0.28`, `grpo clipHigh 0.2`. */
  readonly text: string;
  /** Whether the text is clear without its key: the name of a plugin is, a number is not. */
  readonly isName: boolean;
}

/**
 * Names for the values of one key of a grid: the name of a contribution, all names of a list of contributions, and the
 * text of anything else. Values with equal names also get the settings in which they differ.
 */
export function levelNames(key: string, values: readonly Json[]): readonly LevelName[] {
  const names = values.map((value) => nameOf(key, value));
  return names.map((name, index) => {
    const alike = values.filter((_, other) => names[other]?.text === name.text);
    if (alike.length === 1) return name;
    return { ...name, text: [name.text, ...distinctions(values[index] as Json, alike)].join(' ') };
  });
}

function nameOf(key: string, value: Json): LevelName {
  if (Array.isArray(value) && value.length > 0) {
    const own = value.map((one: Json) => nameOfContribution(one));
    if (own.every((name) => name !== undefined)) return { text: own.join(' + '), isName: true };
  }
  const own = nameOfContribution(value);
  if (own !== undefined) return { text: own, isName: true };
  if (typeof value !== 'string') return { text: JSON.stringify(value), isName: false };
  return { text: value, isName: key === 'name' || key.endsWith('.name') };
}

function nameOfContribution(value: Json): string | undefined {
  return isKeyMap(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
}

/** The leaves of a value, such as `clipHigh 0.2`, that differ among values with the same name. */
function distinctions(value: Json, alike: readonly Json[]): readonly string[] {
  const others = alike.map((one) => new Map(leaves(one, [])));
  const paths = new Set(others.flatMap((one) => [...one.keys()]));
  const own = new Map(leaves(value, []));
  return [...paths].flatMap((path) => {
    const isShared = others.every((one) => one.get(path) === own.get(path));
    return isShared ? [] : [`${path.split('.').at(-1)} ${own.get(path) ?? 'unset'}`];
  });
}

function leaves(value: Json, path: readonly string[]): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((one: Json, index) => leaves(one, [...path, `${index}`]));
  if (!isKeyMap(value)) return [[path.join('.'), typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}
