// Questions about a valibot schema that valibot itself does not answer: the keys at a path, and their meaning.
import * as v from 'valibot';

import { plainName } from './nearest-name.js';
import { isKeyMap, valueAt, type KeyPath } from './recipe-layer.js';

/** The parts of a schema that are read here. valibot's own types have more than is needed. */
export interface SchemaNode {
  readonly type: string;
  readonly wrapped?: SchemaNode;
  readonly entries?: { readonly [key: string]: SchemaNode };
  readonly key?: string | SchemaNode;
  readonly value?: SchemaNode;
  readonly item?: SchemaNode;
  readonly options?: readonly SchemaNode[] | readonly string[];
  readonly literal?: unknown;
  readonly default?: unknown;
}

/** The schema inside `optional`. */
export function unwrap(schema: SchemaNode): SchemaNode {
  return schema.wrapped === undefined ? schema : unwrap(schema.wrapped);
}

/** The schema of a key of a map. */
export function entryOf(schema: SchemaNode | undefined, key: string | number): SchemaNode | undefined {
  const entries = schema?.entries;
  return entries !== undefined && Object.hasOwn(entries, key) ? entries[key] : undefined;
}

/** The member of a variant that the value selects. Undefined if it selects no member. */
function chosenMember(variant: SchemaNode, value: unknown): SchemaNode | undefined {
  const chosen = isKeyMap(value) ? value[variant.key as string] : undefined;
  return members(variant).find((member) => unwrap(entryOf(member, variant.key as string) ?? member).literal === chosen);
}

/** The members of a variant. */
export function members(variant: SchemaNode): readonly SchemaNode[] {
  return (variant.options ?? []) as readonly SchemaNode[];
}

/** The map that a schema describes: the chosen member of a variant, or the only map of a union. */
function mapOf(open: SchemaNode, value: unknown): SchemaNode | undefined {
  if (open.type === 'variant') return chosenMember(open, value);
  return open.type === 'union'
    ? members(open)
        .map(unwrap)
        .find(({ entries }) => entries !== undefined)
    : open;
}

/** The schema at a path of a value, or undefined if the schema does not describe it. */
export function schemaAt(root: SchemaNode, path: KeyPath, value: unknown): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  let inner = value;
  for (const key of path) {
    if (node === undefined) return undefined;
    const open: SchemaNode = unwrap(node);
    const object = mapOf(open, inner);
    node = entryOf(object, key) ?? (open.type === 'record' ? open.value : open.item);
    inner = valueAt(inner, [key]);
  }
  return node;
}

/** Keys that a map may have at a place: those of all members, if the value selects none. */
export function keysOf(schema: SchemaNode, value: unknown): readonly string[] {
  const open = unwrap(schema);
  const chosen = mapOf(open, value);
  const objects = chosen === undefined ? members(open) : [chosen];
  return [...new Set(objects.flatMap((object) => Object.keys(object.entries ?? {})))];
}

/** Paths in the whole schema whose last key is this one, in any spelling. `NAME` means any key of a map, and lists are skipped. */
export function placesOf(key: string, schema: SchemaNode, path: readonly string[] = []): string[] {
  const open = unwrap(schema);
  const objects = open.type === 'variant' ? members(open) : [mapOf(open, undefined) ?? open];
  const found = objects.flatMap((object) =>
    Object.entries(object.entries ?? {}).flatMap(([name, inner]) => [
      ...(plainName(name) === plainName(key) ? [[...path, name].join('.')] : []),
      ...placesOf(key, inner, [...path, name]),
    ]),
  );
  const below = open.type === 'record' && open.value !== undefined ? placesOf(key, open.value, [...path, 'NAME']) : [];
  return [...new Set([...found, ...below])];
}

/** The description of a schema. */
export function descriptionOf(schema: SchemaNode): string | undefined {
  const own = v.getDescription(schema as never);
  return own ?? (schema.wrapped === undefined ? undefined : descriptionOf(schema.wrapped));
}
