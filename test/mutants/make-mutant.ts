// Makes one mutant per seed. Half of the mutants are broken on purpose. The others are changed as a user would change a
// recipe: within the ranges that the schema and the options of contributions declare.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { stringify } from 'yaml';

import type { ContributionKind } from '../../src/contracts/plugin.js';
import type { OptionDeclaration } from '../../src/contracts/options.js';
import type { Random } from '../../src/contracts/random.js';
import type { PluginHost } from '../../src/plugins/open-plugin-host.js';
import { createRandom } from '../../src/random/create-random.js';
import { repository } from '../architecture/source-files.js';
import { type BaseRecipe, baseRecipes } from './base-recipes.js';
import { hostileFiles, hostileKeys, hostileValues, rawValues } from './hostile-values.js';

export interface Mutant {
  readonly seed: number;
  readonly base: string;
  /** The changes, in words. */
  readonly changes: readonly string[];
  /** Name of the file, which decides how it is read. */
  readonly file: 'mutant.yaml' | 'mutant.json';
  readonly text: string;
}

type Tree = Record<string, unknown>;
type Path = readonly (string | number)[];
interface SchemaNode {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: { readonly [key: string]: SchemaNode };
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly const?: unknown;
}

/** The declaration of a contribution. */
interface Declared {
  readonly kind: ContributionKind;
  readonly name: string;
  readonly options: { readonly [name: string]: OptionDeclaration };
}

/** Makes the mutant of a seed. The same seed always gives the same mutant. */
export async function mutantMaker(host: PluginHost): Promise<(seed: number) => Mutant> {
  const bases = await baseRecipes(host);
  const declared = await declarations(host);
  const file = join(repository, 'docs/reference/recipe.schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8')) as SchemaNode;
  return (seed) => new Maker(seed, bases, declared, schema).make();
}

async function declarations(host: PluginHost): Promise<readonly Declared[]> {
  const kinds = ['environment', 'reward', 'algorithm', 'format', 'policy', 'tool'] as const;
  const found = await Promise.all(
    kinds.map(async (kind) => (await host.contributions(kind)).map(({ contribution }) => contribution)),
  );
  return found.flat();
}

class Maker {
  readonly #random: Random;
  readonly #changes: string[] = [];
  readonly #raw = new Map<string, string>();
  readonly #base: BaseRecipe;
  readonly #tree: Tree;

  constructor(
    readonly seed: number,
    bases: readonly BaseRecipe[],
    readonly declared: readonly Declared[],
    readonly schema: SchemaNode,
  ) {
    this.#random = createRandom(seed).stream('mutant');
    this.#base = this.#random.choice(bases);
    this.#tree = structuredClone(this.#base.recipe);
  }

  make(): Mutant {
    const random = this.#random;
    const kind = random.uniform();
    let whole: ((text: string) => string) | undefined;
    if (kind < 0.5) for (let left = random.integer(1, 4); left > 0; left -= 1) this.#changeValidly();
    else if (kind < 0.56) {
      const index = random.integer(0, hostileFiles.length);
      whole = hostileFiles[index];
      this.#changes.push(`the whole file, way ${index}`);
    } else for (let left = random.integer(1, 3); left > 0; left -= 1) this.#break();
    const isJson = whole === undefined && this.#raw.size === 0 && random.uniform() < 0.1;
    let text = isJson ? JSON.stringify(this.#tree, null, 2) : stringify(this.#tree, { aliasDuplicateObjects: false });
    for (const [mark, raw] of this.#raw) text = text.replaceAll(new RegExp(`["']?${mark}["']?`, 'g'), () => raw);
    text = whole?.(text) ?? text;
    return {
      seed: this.seed,
      base: this.#base.name,
      changes: this.#changes,
      file: isJson ? 'mutant.json' : 'mutant.yaml',
      text,
    };
  }

  #changeValidly(): void {
    const ways = [
      () => this.#setKnownKey(),
      () => this.#setKnownKey(),
      () => this.#setOption(),
      () => this.#swap(),
      () => this.#drop(),
    ];
    this.#random.choice(ways)();
  }

  #break(): void {
    const random = this.#random;
    const path = this.#anyPath();
    const at = path.join('.');
    const parent = valueAt(this.#tree, path.slice(0, -1)) as Tree;
    const key = path.at(-1) as string;
    const ways: Record<string, () => void> = {
      remove: () => (Array.isArray(parent) ? parent.splice(Number(key), 1) : delete parent[key]),
      rename: () => {
        if (Array.isArray(parent)) return;
        parent[this.#misspell(key)] = parent[key];
        delete parent[key];
      },
      hostile: () => (parent[key] = random.choice(hostileValues)),
      raw: () => (parent[key] = this.#mark(random.choice(rawValues))),
      retype: () => (parent[key] = this.#retyped(parent[key])),
      'a key of its own': () => {
        const name = random.choice(hostileKeys);
        const value = random.uniform() < 0.5 ? random.choice(hostileValues) : { a: 1 };
        Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
      },
      twice: () => (parent[this.#mark(`${key}: 1\n${key}`)] = 2),
      elsewhere: () => (this.#tree[key] = parent[key]),
      extends: () =>
        (this.#tree['extends'] = random.choice(['quickstart', 'textcraft', 'quickstrat', './no.yaml', 3, ['a']])),
      pins: () =>
        (this.#tree['plugins'] = {
          [random.choice(['@agentgym/plugin-env-guess-number', 'none', 'constructor'])]: random.choice([
            '^0.1.0',
            '>9',
            'x y',
            1,
          ]),
        }),
    };
    const way = random.choice(Object.keys(ways));
    this.#changes.push(`${way} ${at}`);
    ways[way]?.();
  }

  /** Sets a key of the schema to a valid value. */
  #setKnownKey(): void {
    const leaves = leavesOf(this.schema, this.#tree, []);
    if (leaves.length === 0) return;
    const { path, node } = this.#random.choice(leaves);
    const value = this.#valueOf(node, valueAt(this.#tree, path));
    if (value === undefined) return;
    setAt(this.#tree, path, value);
    this.#changes.push(`${path.join('.')} = ${JSON.stringify(value)}`);
  }

  #setOption(): void {
    const blocks = blocksOf(this.#tree).filter(
      ({ kind, block }) => this.#declaredAs(kind, block)?.options !== undefined,
    );
    if (blocks.length === 0) return;
    const { kind, block, path } = this.#random.choice(blocks);
    const options = Object.entries(this.#declaredAs(kind, block)?.options ?? {});
    if (options.length === 0) return;
    const [name, option] = this.#random.choice(options);
    const value = this.#optionValue(option);
    block['options'] = { ...(block['options'] as Tree | undefined), [name]: value };
    this.#changes.push(`${[...path, 'options', name].join('.')} = ${JSON.stringify(value)}`);
  }

  /** Replaces a contribution by another one with its own defaults. */
  #swap(): void {
    const { kind, block, path } = this.#random.choice(blocksOf(this.#tree));
    const others = this.declared.filter((one) => one.kind === kind);
    if (others.length === 0) return;
    const { name } = this.#random.choice(others);
    Object.assign(block, { name, ...(block['options'] !== undefined && name !== block['name'] && { options: {} }) });
    if (kind === 'policy') block['options'] = { threads: 1 };
    this.#changes.push(`${path.join('.')} is ${name}`);
  }

  /** Removes a key, so that it has its default. */
  #drop(): void {
    const path = this.#anyPath();
    const parent = valueAt(this.#tree, path.slice(0, -1));
    const isCostly = [
      'steps',
      'tasksPerStep',
      'groupSize',
      'count',
      'tasks',
      'preset',
      'threads',
      'options',
      'policy',
      'sampling',
      'final',
      'evaluation',
    ];
    if (Array.isArray(parent) || isCostly.includes(String(path.at(-1)))) return;
    delete (parent as Tree)[path.at(-1) as string];
    this.#changes.push(`${path.join('.')} is left out`);
  }

  #valueOf(node: SchemaNode, present: unknown): unknown {
    const random = this.#random;
    if (node.enum !== undefined) return random.choice(node.enum);
    if (node.type === 'boolean') return random.uniform() < 0.5;
    const low = node.minimum ?? (node.exclusiveMinimum === undefined ? -1 : node.exclusiveMinimum + 1e-3);
    if (node.type === 'integer') {
      const usual = typeof present === 'number' ? 2 * present : low + 8;
      return random.integer(low, Math.min(node.maximum ?? Infinity, Math.max(low, usual)) + 1);
    }
    if (node.type === 'number') return low + random.uniform() * (Math.min(node.maximum ?? 2, 2) - low);
    return undefined;
  }

  #optionValue(option: OptionDeclaration): unknown {
    const random = this.#random;
    switch (option.type) {
      case 'boolean':
        return random.uniform() < 0.5;
      case 'choice':
        return random.choice(option.choices);
      case 'integer':
      case 'number': {
        const { minimum = 0, maximum = Infinity } = option;
        const usual = typeof option.default === 'number' ? Math.max(2 * option.default, minimum + 2) : minimum + 3;
        const high = Math.min(maximum, usual);
        return option.type === 'integer'
          ? random.integer(minimum, high + 1)
          : minimum + random.uniform() * (high - minimum);
      }
      case 'integers': {
        const { minimum = 1, maximum = minimum + 30, length = 1 + random.integer(0, 3) } = option;
        return Array.from({ length }, () => random.integer(minimum, Math.min(maximum, minimum + 30) + 1)).sort(
          (a, b) => a - b,
        );
      }
      default:
        return option.default;
    }
  }

  #declaredAs(kind: ContributionKind, { name }: Tree): Declared | undefined {
    return this.declared.find((one) => one.kind === kind && one.name === name);
  }

  /** A random key of the tree. */
  #anyPath(): Path {
    const paths: Path[] = [];
    const walk = (value: unknown, path: Path): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        const here = [...path, Array.isArray(value) ? Number(key) : key];
        if (paths.push(here) < 2000) walk(inner, here);
      }
    };
    walk(this.#tree, []);
    return paths.length === 0 ? ['name'] : this.#random.choice(paths);
  }

  #retyped(value: unknown): unknown {
    if (typeof value === 'number')
      return this.#random.choice([String(value), [value], { value }, value + 0.5, -value, null]);
    if (typeof value === 'string')
      return this.#random.choice([3, [value], { [value]: 1 }, `${value} `, value.toUpperCase(), null]);
    if (Array.isArray(value))
      return this.#random.choice([
        value[0],
        { ...(value as object) },
        value.join(','),
        [...(value as unknown[]), ...(value as unknown[])],
      ]);
    return this.#random.choice([[value], 'text', 7, true]);
  }

  #misspell(key: string): string {
    const at = this.#random.integer(0, Math.max(1, key.length - 1));
    return this.#random.choice([
      key.slice(0, at) + key.slice(at + 1),
      key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2),
      `${key}s`,
      key.toUpperCase(),
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      `${key}\u200b`,
    ]);
  }

  #mark(raw: string): string {
    const mark = `mark${this.#raw.size}mark`;
    this.#raw.set(mark, raw);
    return mark;
  }
}

/** Keys of the schema that accept a number, a choice or a truth value. */
function leavesOf(schema: SchemaNode, tree: unknown, path: Path): { readonly path: Path; readonly node: SchemaNode }[] {
  const node = memberFor(schema, tree);
  const isLeaf = node.enum !== undefined || ['integer', 'number', 'boolean'].includes(node.type ?? '');
  if (isLeaf) return path.at(-1) === 'recipeVersion' ? [] : [{ path, node }];
  const known = Object.entries(node.properties ?? {}).flatMap(([key, inner]) =>
    leavesOf(inner, valueAt(tree, [key]), [...path, key]),
  );
  if (typeof node.additionalProperties !== 'object' || typeof tree !== 'object' || tree === null) return known;
  const each = node.additionalProperties;
  return [...known, ...Object.entries(tree).flatMap(([key, inner]) => leavesOf(each, inner, [...path, key]))];
}

/** The alternative of the schema that fits the tree. */
function memberFor(schema: SchemaNode, tree: unknown): SchemaNode {
  const members = schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined);
  if (members === undefined) return schema;
  const fits = ({ properties = {} }: SchemaNode) =>
    Object.entries(properties).every(([key, node]) => node.const === undefined || node.const === valueAt(tree, [key]));
  return members.find((member) => member.properties === undefined || fits(member)) ?? {};
}

interface Named {
  readonly kind: ContributionKind;
  readonly block: Tree;
  readonly path: Path;
}

/** The places at which a recipe names contributions. */
function blocksOf(tree: Tree): Named[] {
  const single = (['environment', 'format', 'algorithm', 'policy'] as const).flatMap((kind): Named[] =>
    isTree(tree[kind]) ? [{ kind, block: tree[kind], path: [kind] }] : [],
  );
  const terms = valueAt(tree, ['reward', 'terms']);
  const rewards = (Array.isArray(terms) ? terms : []).flatMap((block, i): Named[] =>
    isTree(block) ? [{ kind: 'reward', block, path: ['reward', 'terms', i] }] : [],
  );
  return [...single, ...rewards];
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Tree)[key] : undefined,
    root,
  );
}

function setAt(root: Tree, path: Path, value: unknown): void {
  let inner: Tree = root;
  for (const key of path.slice(0, -1)) inner = (inner[key] ??= {}) as Tree;
  inner[path.at(-1) as string] = value;
}
