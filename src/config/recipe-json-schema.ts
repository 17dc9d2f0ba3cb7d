import { readFile } from 'node:fs/promises';

import type { Json, JsonObject } from '../contracts/json.js';
import type { Contribution, ContributionKind, OptimizerDeclaration } from '../contracts/plugin.js';
import { optionsJsonSchema } from './option-schema.js';

/** Generated from recipe-schema.ts by `npm run reference`, so that no library is needed at run time. */
const base = new URL('../../docs/reference/recipe.schema.json', import.meta.url);

/** The parts of a contribution that are read here. */
export type DescribedContribution = Pick<Contribution, 'kind' | 'name' | 'summary' | 'options'> & {
  readonly presets?: readonly { readonly name: string; readonly summary: string }[];
  readonly optimizers?: readonly Pick<OptimizerDeclaration, 'name' | 'summary' | 'options'>[];
};

type Node = Record<string, Json>;

/** The places where a recipe names a contribution of a kind. `*` means any key of a map, and `[]` any item of a list. */
const places: { readonly [kind in ContributionKind]?: readonly string[] } = {
  environment: ['environment', 'environments.*', 'evaluation.final.transfer.*'],
  reward: ['reward.terms.[]', 'stages.*.reward.terms.[]', 'environments.*.reward.terms.[]'],
  format: ['format', 'environments.*.format'],
  tool: ['tools.[]', 'environments.*.tools.[]'],
  policy: ['policy'],
  sampler: ['policy.sampler'],
  curriculum: ['curriculum', 'stages.*.curriculum'],
  algorithm: ['algorithm', 'stages.*.algorithm'],
};

/**
 * The JSON Schema (draft 7) of recipes with these contributions. Only their names are allowed, and options next to a
 * name must be those it declares, with types, bounds, defaults and descriptions. Options without a name (in a recipe
 * that extends another) are not checked.
 */
export async function recipeJsonSchema(contributions: readonly DescribedContribution[]): Promise<JsonObject> {
  const schema = JSON.parse(await readFile(base, 'utf8')) as Node;
  for (const [kind, paths] of Object.entries(places)) {
    const known = contributions.filter((item) => item.kind === kind);
    for (const path of paths) for (const block of blocksAt(schema, path.split('.'))) describeBlock(block, known);
  }
  for (const block of blocksAt(schema, ['stages', '*', 'optimizer'])) describeBlock(block, optimizersOf(contributions));
  const { title = '', ...whole } = schema;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    if: { required: ['extends'] },
    then: nullable(whole),
    else: whole,
  };
}

/** A schema in which any key of a map may be null, because null removes an inherited key. */
function nullable<T extends Json>(node: T): T {
  if (Array.isArray(node)) return node.map((item: Json) => nullable(item)) as never;
  if (!isNode(node)) return node;
  const entries = Object.entries(node).map(([key, value]): [string, Json] => {
    if (key === 'properties' && isNode(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, orNull(nullable(inner))]))];
    }
    // Conditions (`if`) and values (`default`) stay.
    if (['if', 'default', 'const', 'enum'].includes(key)) return [key, value];
    // The key that selects a shape may be inherited. Then several shapes fit.
    const isShapes =
      key === 'oneOf' && Array.isArray(value) && value.some((item: Json) => isNode(item) && 'properties' in item);
    return [isShapes ? 'anyOf' : key, key === 'additionalProperties' ? orNull(nullable(value)) : nullable(value)];
  });
  return Object.fromEntries(entries) as T;
}

function orNull(node: Json): Json {
  if (!isNode(node) || Object.keys(node).length === 0 || node['const'] !== undefined) return node;
  const { type, enum: words, oneOf, anyOf } = node;
  const nothing = { type: 'null' };
  return {
    ...node,
    ...(type !== undefined && { type: [...new Set([...(Array.isArray(type) ? (type as Json[]) : [type]), 'null'])] }),
    ...(Array.isArray(words) && { enum: [...(words as Json[]), null] }),
    ...(Array.isArray(oneOf) && { oneOf: [...(oneOf as Json[]), nothing] }),
    ...(Array.isArray(anyOf) && { anyOf: [...(anyOf as Json[]), nothing] }),
  };
}

/** Every schema at a place. A map whose members have several shapes has several schemas. */
function blocksAt(node: Json | undefined, path: readonly string[]): Node[] {
  if (!isNode(node)) return [];
  const [step, ...rest] = path;
  const variants = [node['anyOf'], node['oneOf']].flatMap((list) => (Array.isArray(list) ? (list as Json[]) : []));
  const inVariants = variants.flatMap((variant) => blocksAt(variant, path));
  if (step === undefined) return isNode(node['properties']) ? [node] : inVariants;
  const inner =
    step === '*'
      ? node['additionalProperties']
      : step === '[]'
        ? node['items']
        : (node['properties'] as Node | undefined)?.[step];
  return [...blocksAt(inner, rest), ...inVariants];
}

function describeBlock(block: Node, known: readonly OptimizerBlock[]): void {
  const properties = block['properties'] as Node;
  const { type: _, minLength: __, maxLength: ___, ...name } = properties['name'] as Node;
  properties['name'] = {
    ...name,
    // `oneOf` of constants, so that editors show the sentence next to the word.
    oneOf: known.map((item) => ({ const: item.name, description: item.summary })),
  };
  block['allOf'] = known.map(({ name: chosen, options, presets }) => ({
    if: { properties: { name: { const: chosen } }, required: ['name'] },
    then: {
      properties: {
        options: optionsJsonSchema(options),
        ...(presets && { preset: presetSchema(presets) }),
      },
    },
  }));
}

/** The optimizers of all policies. If two policies have one of the same name, an editor shows the options of the first. */
function optimizersOf(contributions: readonly DescribedContribution[]): readonly OptimizerBlock[] {
  const all = contributions.flatMap(({ optimizers = [] }) => optimizers);
  return all.filter(({ name }, i) => all.findIndex((other) => other.name === name) === i);
}

type OptimizerBlock = Pick<DescribedContribution, 'name' | 'summary' | 'options' | 'presets'>;

/** The presets of a policy by name. A policy without presets takes none. */
function presetSchema(presets: NonNullable<DescribedContribution['presets']>): Json {
  if (presets.length === 0) return false;
  return { oneOf: presets.map((preset) => ({ const: preset.name, description: preset.summary })) };
}

function isNode(value: Json | undefined): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
