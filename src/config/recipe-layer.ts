/** The place of a key inside a recipe. */
export type KeyPath = readonly (string | number)[];

/** A map of keys, as read. */
export type KeyMap = { readonly [key: string]: unknown };

/** Keys that come from one place: a file, or one flag. Later layers win over earlier ones. */
export interface RecipeLayer {
  /** `extends`: inherited; `recipe`: the requested recipe; `flag`: set on the command line. */
  readonly origin: 'extends' | 'recipe' | 'flag';
  /** A path, or the flag as it was written. */
  readonly label: string;
  /** Absent for flags and for recipes that are not files. */
  readonly file?: string;
  readonly value: KeyMap;
  /** Line of a key, from 1. Undefined for TypeScript: only YAML and JSON have such lines. */
  line(path: KeyPath): number | undefined;
}

/** `reward.terms[0].name` */
export function formatPath(path: KeyPath): string {
  return path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('');
}

/** A map, and not a list or null. */
export function isKeyMap(value: unknown): value is KeyMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, or undefined. */
export function valueAt(root: unknown, path: KeyPath): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** Sets the value at a path whose map exists. Undefined removes the key. */
export function setAt(root: unknown, path: KeyPath, value: unknown): void {
  const map = valueAt(root, path.slice(0, -1)) as Record<string | number, unknown> | undefined;
  const key = path.at(-1);
  if (map === undefined || key === undefined) return;
  if (value === undefined) delete map[key];
  else map[key] = value;
}
