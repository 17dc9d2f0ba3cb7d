/** The required type of a value from a plugin. A map of names to shapes describes the members of an object. */
export type Shape =
  | 'function'
  | 'string'
  | 'number'
  | 'boolean'
  | 'array'
  | 'object'
  | { readonly [member: string]: Shape };

const words = {
  function: 'a function',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
} as const;

/**
 * Returns the value if it has the shape.
 *
 * @param place the source of the value: `tasks()`
 * @throws a plain Error that names the path and the value there
 */
export function checkShape<T>(value: T, shape: Shape, place: string): T {
  const kind = kindOf(value);
  if (typeof shape === 'string') {
    if (kind !== shape) throw new Error(`${place} is ${describe(kind)}, not ${words[shape]}`);
    return value;
  }
  // A module's namespace is an object too, and a class may be a function with members.
  if (kind !== 'object' && kind !== 'function') throw new Error(`${place} is ${describe(kind)}, not ${words.object}`);
  for (const [member, inner] of Object.entries(shape)) {
    checkShape((value as Record<string, unknown>)[member], inner, `${place}.${member}`);
  }
  return value;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function describe(kind: string): string {
  if (kind === 'undefined') return 'absent';
  if (kind === 'null') return 'null';
  return kind === 'boolean' ? 'a boolean' : (words[kind as keyof typeof words] ?? `a ${kind}`);
}
