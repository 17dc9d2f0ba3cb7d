// Short names for values of recipes. The terminal, Markdown, tables and the page use them, so that one setting has one
// name.

/** Longer texts, such as prompts, are cut: a name must leave room for other columns. */
const longest = 40;

const unset = 'unset';

/**
 * A value of a recipe as people read it. A list of contributions is `dense 0.5 + format`: their names, and weights other
 * than 1. Other lists are `4, 9`, objects are `low 1, high 2`, and a value that is not set is `unset`.
 */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return unset;
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    const own = value.map(contributionName);
    if (own.every((name) => name !== undefined)) return cut(own.join(' + '));
    return cut(value.map(shownValue).join(', '));
  }
  if (!isMap(value)) return JSON.stringify(value);
  return cut(contributionName(value) ?? (fieldsOf(value) || 'none'));
}

/**
 * Names for the values of one key. Values with equal names also get the fields in which they differ: `grpo clipHigh
 * 0.2`, `grpo clipHigh 0.28`. Equal values have equal names.
 */
export function shownValues(values: readonly unknown[]): readonly string[] {
  const keys = values.map(sameness);
  const distinct = values.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
  const names = distinct.map(shownValue);
  const told = distinct.map((value, index) => {
    const alike = distinct.filter((_, other) => names[other] === names[index]);
    return alike.length === 1 ? (names[index] ?? '') : [names[index], ...distinctions(value, alike)].join(' ');
  });
  // Long texts may differ only where they are cut.
  const unique = told.map((name, index) => {
    const place = told.slice(0, index).filter((other) => other === name).length;
    return place === 0 ? name : `${name} (${place + 1})`;
  });
  const known = new Map(distinct.map((value, index) => [sameness(value), unique[index] ?? '']));
  return keys.map((key) => known.get(key) ?? '');
}

/** Whether the names of a key's values need no key beside them: the name of a plugin does not, a number does. */
export function isSelfExplanatory(key: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => contributionName(one) !== undefined);
  if (isMap(value)) return contributionName(value) !== undefined;
  return typeof value === 'string' && (key === 'name' || key.endsWith('.name'));
}

/** A key with the name of its value: `clip 0.2`, `width (4, 9)`, `no dual`. The key may be shortened. */
export function shownSetting(key: string, name: string): string {
  if (name === unset) return `no ${key}`;
  return `${key} ${name.includes(', ') ? `(${name})` : name}`;
}

/** Undefined for a value that is no contribution. */
function contributionName(value: unknown): string | undefined {
  if (!isMap(value) || typeof value['name'] !== 'string') return undefined;
  const { name, weight } = value;
  return typeof weight === 'number' && weight !== 1 ? `${name} ${weight}` : name;
}

function fieldsOf(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${shownValue(inner)}`)
    .join(', ');
}

/** The leaves of a value, such as `clipHigh 0.2`, that differ among values with the same name. */
function distinctions(value: unknown, alike: readonly unknown[]): readonly string[] {
  const others = alike.map((one) => new Map(leaves(one, [])));
  const paths = new Set(others.flatMap((one) => [...one.keys()]));
  const own = new Map(leaves(value, []));
  return [...paths].flatMap((path) => {
    const isShared = others.every((one) => one.get(path) === own.get(path));
    return isShared || path === '' ? [] : [`${path.split('.').at(-1)} ${own.get(path) ?? unset}`];
  });
}

function leaves(value: unknown, path: readonly string[]): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => leaves(one, [...path, `${index}`]));
  if (!isMap(value)) return [[path.join('.'), shownValue(value)]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

/** Equal for values that a recipe does not tell apart. */
function sameness(value: unknown): string {
  return JSON.stringify(value ?? null);
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
