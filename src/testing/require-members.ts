/** Throws if a plugin's answer lacks a member or a member has another type; the error contains its path. */
export function requireMembers(
  place: string,
  value: unknown,
  members: { readonly [name: string]: 'function' | 'string' | 'boolean' | 'object' },
): void {
  if (typeof value !== 'object' || value === null) {
    throw new Error(`${place}: must be an object, not ${value === null ? 'null' : typeof value}`);
  }
  for (const [name, type] of Object.entries(members)) {
    const member = (value as Record<string, unknown>)[name];
    const actual = member === null ? 'null' : typeof member;
    if (actual !== type)
      throw new Error(`${place}.${name}: must be ${type === 'object' ? 'an' : 'a'} ${type}, not ${actual}`);
  }
}
