import * as v from 'valibot';

import { hideSecrets } from '../errors/hide-secrets.js';
import type { Complaints } from './complaints.js';
import { foreignKeyHint } from './foreign-names.js';
import { nearestHint, nearestName } from './nearest-name.js';
import { isKeyMap, formatPath, valueAt, type KeyMap, type KeyPath } from './recipe-layer.js';
import { descriptionOf, entryOf, keysOf, members, placesOf, schemaAt, unwrap, type SchemaNode } from './schema-keys.js';

/** A format whose documents are checked. */
export interface DocumentFormat<Schema> {
  readonly schema: Schema;
  /** Name of a document in messages: "the recipe". */
  readonly name: string;
  /** The page that describes its keys. */
  readonly page: string;
}

type DocumentSchema = v.GenericSchema<unknown, unknown>;

/**
 * Checks keys and types against a schema. It collects all complaints, and returns only a document without complaints.
 */
export function checkStructure<Schema extends DocumentSchema>(
  format: DocumentFormat<Schema>,
  value: KeyMap,
  complaints: Complaints,
): v.InferOutput<Schema> | undefined {
  const list = listForMap(format.schema, value, []);
  if (list !== undefined) {
    const hint = `Write it as keys with values. See \`${format.page}\`.`;
    complaints.add('AG_RECIPE_INVALID', list, listProblem(list), hint);
    return undefined;
  }
  let rest: KeyMap = value;
  // valibot stops at the first unknown key of a map. So remove this key and check again, until there are too many
  // complaints.
  for (;;) {
    const result = v.safeParse(format.schema, rest);
    if (result.success) return complaints.findings.length === 0 ? result.output : undefined;
    const issues = result.issues.flatMap(ofAlternatives);
    const unknown = issues.filter(isUnknownKey);
    if (unknown.length === 0) {
      issues.forEach((issue) => addIssue(issue, format, rest, complaints));
      return undefined;
    }
    for (const issue of unknown) {
      const path = pathOf(issue);
      addUnknownKey(path, format.schema, rest, complaints);
      rest = without(rest, path);
    }
    if (complaints.isFull) return undefined;
  }
}

/**
 * Finds a value with another type than in a schema, or without a required key; undefined if there is none. It ignores
 * limits and unknown keys.
 *
 * @param above path of the value in its document
 */
export function typeProblem(schema: DocumentSchema, value: unknown, above: KeyPath = []): string | undefined {
  const list = listForMap(schema, value, []);
  if (list !== undefined) return listProblem([...above, ...list]);
  const issue = v.safeParse(schema, value).issues?.find((one) => one.kind === 'schema' && !isUnknownKey(one));
  if (issue === undefined) return undefined;
  const path = pathOf(issue);
  const [name, given] = [formatPath([...above, ...path]), valueAt(value, path)];
  return given === undefined ? `\`${name}\` is missing` : `\`${name}\` is ${show(given)}, not ${expectation(issue)}`;
}

/** The path of a list where the schema has a map of keys: valibot takes it for a map without keys. */
function listForMap(schema: SchemaNode, value: unknown, path: KeyPath): KeyPath | undefined {
  const open = unwrap(schema);
  const isMap = isBranch(open) && open.item === undefined;
  if (isMap && Array.isArray(value)) return path;
  // A list of numbers may be long, and contains no map.
  const hasInner = isMap || (open.item !== undefined && isBranch(open.item));
  if (!hasInner || typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    const node = schemaAt(open, [key], value);
    const found = node && listForMap(node, inner, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isBranch(schema: SchemaNode): boolean {
  const { entries, item, type } = unwrap(schema);
  return entries !== undefined || item !== undefined || type === 'record' || type === 'variant';
}

function listProblem(path: KeyPath): string {
  return path.length === 0 ? 'it is a list, not a map of keys' : `\`${formatPath(path)}\` is a list, not a map of keys`;
}

type Issue = v.BaseIssue<unknown>;

function isUnknownKey(issue: Issue): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

/** A map that is none of several alternatives: its keys tell more than that it is none. */
function ofAlternatives(issue: Issue): readonly Issue[] {
  const inside =
    issue.type === 'union' && isKeyMap(issue.input)
      ? (issue.issues ?? []).filter(({ path }) => path !== undefined)
      : [];
  if (inside.length === 0) return [issue];
  return inside.map((one): Issue => ({
    ...one,
    path: [...(issue.path ?? []), ...(one.path ?? [])] as unknown as Issue['path'],
  }));
}

function pathOf(issue: Issue): KeyPath {
  return (issue.path ?? []).map((item) => item.key as string | number);
}

/** A key with more places names none of them. */
const mostPlaces = 3;

function addUnknownKey(path: KeyPath, root: SchemaNode, value: KeyMap, complaints: Complaints): void {
  const key = String(path.at(-1));
  const above = path.slice(0, -1);
  const map = valueAt(value, above);
  const schema = schemaAt(root, above, value) ?? root;
  const open = unwrap(schema);
  const name = formatPath(path);
  if (open.type === 'variant') {
    const choice = open.key as string;
    const others = members(open).filter((member) => entryOf(member, key) !== undefined);
    if (others.length > 0) {
      const chosen = `\`${formatPath([...above, choice])}: ${String(valueAt(map, [choice]))}\``;
      const takers = others.map((member) => String(unwrap(entryOf(member, choice) ?? member).literal));
      const message = `\`${name}\` has no effect with ${chosen}`;
      complaints.addIdle(path, message, `Remove it; it belongs to \`${choice}: ${takers.join(' or ')}\`.`);
      return;
    }
  }
  const known = keysOf(schema, map);
  const places = placesOf(key, root);
  // A key that each environment may replace is probably meant for all of them.
  const common = places.filter((place) => !place.includes('environments.NAME.'));
  const elsewhere = common.length > 0 ? common : places;
  const foreign = foreignKeyHint(path, valueAt(map, [key]));
  const far =
    elsewhere.length > 0 && elsewhere.length <= mostPlaces
      ? `Did you mean ${elsewhere.map((place) => `\`${place}\``).join(' or ')}?`
      : keysHere(above, known);
  const hint = nearestHint(key, known, foreign ?? far);
  complaints.add('AG_RECIPE_UNKNOWN_KEY', path, `there is no key \`${name}\``, hint);
}

/** What a map takes, where nothing is like the unknown key: it may be an option of the map's contribution. */
function keysHere(path: KeyPath, known: readonly string[]): string {
  const options = `Options of its \`name\` are in \`${formatPath([...path, 'options'])}\`.`;
  const named = known.includes('name') && known.includes('options');
  return `Keys here are: ${known.join(', ')}.${named ? ` ${options}` : ''}`;
}

function addIssue(issue: Issue, format: DocumentFormat<DocumentSchema>, value: KeyMap, complaints: Complaints): void {
  const path = pathOf(issue);
  const description = descriptionOf(schemaAt(format.schema, path, value) ?? { type: 'unknown' });
  const name = path.length === 0 ? format.name : `\`${formatPath(path)}\``;
  const wanted = expectation(issue);
  const missing = issue.kind === 'schema' && valueAt(value, path) === undefined;
  const rule = ['regex', 'check'].includes(issue.type);
  const given = `${name} is ${show(valueAt(value, path))}`;
  const message = missing ? `${name} is missing` : rule ? `${given}: ${issue.message}` : `${given}, not ${wanted}`;
  // valibot names a missing key only; a custom rule already has its own message.
  if (rule || (missing && description !== undefined)) {
    const meaning = description === undefined ? '' : `Meaning: ${description}. `;
    complaints.add('AG_RECIPE_INVALID', path, message, `${meaning}See \`${format.page}\`.`);
    return;
  }
  const keys = keysOf(schemaAt(format.schema, path, value) ?? { type: 'unknown' }, {});
  if (path.length > 0 && typeof valueAt(value, path) === 'string' && keys.includes('name')) {
    complaints.add('AG_RECIPE_INVALID', path, message, `Did you mean \`${formatPath([...path, 'name'])}\`?`);
    return;
  }
  const inside = keys.length === 0 ? '' : `; keys: ${keys.join(', ')}`;
  const says = description === undefined ? '' : ` (${description}${inside})`;
  const near = nearestChoice(issue);
  const meant = near === undefined ? '' : `Did you mean \`${near}\`? `;
  complaints.add('AG_RECIPE_INVALID', path, message, `${meant}It takes ${wanted}${says}.`);
}

/** The choice that a misspelt one most likely means. */
function nearestChoice({ type, input, expected }: Issue): string | undefined {
  if (type !== 'picklist' || typeof input !== 'string') return undefined;
  return nearestName(input, alternativesOf(expected));
}

/** The alternatives of an expectation such as `("a" | "b")`, without quotes. */
function alternativesOf(expected: string | null): readonly string[] {
  return (expected ?? 'something else').replaceAll(/[()"]/g, '').split(' | ');
}

/** The expected value of an issue, in words. */
function expectation(issue: Issue): string {
  const limit = issue.expected?.replace(/^(>=|<=|>|<)/, (sign) => `${limitNames[sign]} `);
  if (issue.type === 'min_length') return `a list of ${limit}`;
  if (issue.type === 'max_length') return `a text of ${limit} characters`;
  const rule = ruleNames[issue.type];
  if (rule !== undefined) return rule;
  if (limit !== undefined && limit !== issue.expected) return limit;
  const words = alternativesOf(issue.expected);
  return words.map((word) => typeNames[word] ?? word).join(' or ');
}

const limitNames: Record<string, string> = { '>=': 'at least', '<=': 'at most', '>': 'above', '<': 'below' };
const ruleNames: Record<string, string> = {
  min_entries: 'a map with at least one entry',
  non_empty: 'a text that is not empty',
  safe_integer: 'a whole number',
  finite: 'a finite number',
};
const typeNames: Record<string, string> = {
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'a map of keys',
};

function show(value: unknown): string {
  if (value === null) return 'empty';
  const text = hideSecrets(JSON.stringify(value) ?? typeof value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** A copy of the tree without one key. */
function without(tree: unknown, path: KeyPath): KeyMap {
  const [key, ...rest] = path;
  const copy = (Array.isArray(tree) ? [...(tree as unknown[])] : { ...(tree as object) }) as Record<
    string | number,
    unknown
  >;
  if (key === undefined) return copy;
  if (rest.length === 0) delete copy[key];
  else copy[key] = without(copy[key], rest);
  return copy;
}
