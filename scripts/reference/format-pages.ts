// Pages of the formats that people write: the recipe and the ablation file.
import { toJsonSchema } from '@valibot/to-json-schema';

import { ablationSchema } from '../../src/config/ablation-schema.js';
import { recipeSchema } from '../../src/config/recipe-schema.js';
import { descriptionOf, members, unwrap, type SchemaNode } from '../../src/config/schema-keys.js';

/** File name -> text. */
export function formatPages(): Record<string, string> {
  return {
    'ablation.md': ablationPage(),
    'ablation.schema.json': `${JSON.stringify(ablationJsonSchema(), null, 2)}\n`,
    'recipe.md': recipePage(),
    'recipe.schema.json': `${JSON.stringify(recipeJsonSchema(), null, 2)}\n`,
  };
}

const jsonSchemaOptions = {
  typeMode: 'input',
  ignoreActions: ['check', 'finite'],
  overrideAction: ({ valibotAction, jsonSchema }) =>
    valibotAction.type === 'safe_integer' ? { ...jsonSchema, type: 'integer' } : undefined,
} satisfies Parameters<typeof toJsonSchema>[1];

/** JSON Schema (draft 7) of an ablation as it is written. */
function ablationJsonSchema(): object {
  return { title: 'agentgym ablation', ...toJsonSchema(ablationSchema, jsonSchemaOptions) };
}

/** JSON Schema (draft 7) of a recipe as it is written. */
function recipeJsonSchema(): object {
  const schema = toJsonSchema(recipeSchema, jsonSchemaOptions);
  const whole = [{ required: ['extends'] }, { required: schema.required }];
  return { title: 'agentgym recipe', ...(withoutRequired(schema) as object), anyOf: whole };
}

/** A recipe that extends another one may leave out any key, on any level. */
function withoutRequired(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutRequired);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([key, value]) => !(key === 'required' && Array.isArray(value)));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutRequired(value)]));
}

function recipePage(): string {
  const root = recipeSchema as unknown as SchemaNode;
  const lines = [
    '# Recipes\n',
    'This page lists all keys of a recipe. A recipe is a YAML, JSON or TypeScript file. Editors complete and check YAML that begins with',
    '`# yaml-language-server: $schema=` and the path of [recipe.schema.json](recipe.schema.json), and TypeScript that ends in',
    "`export default defineRecipe({...})` with `import { defineRecipe } from '@agentgym/cli'`.\n",
    '`agentgym train` accepts the path of a recipe or the name of a built-in recipe. Without either it uses the recipe of the project:',
    '`agentgym.config.ts` (or `.js`, `.mjs`), `.agentgymrc.yaml`, or `agentgym.recipe` in package.json (the keys, or a path).\n',
    '- `extends` names a recipe to start from. Maps are merged, all other values are replaced, `null` removes an inherited key.',
    '  If a recipe chooses another environment, format, policy, algorithm, schedule or kind, the settings of the former one are dropped.',
    '- `--set algorithm.groupSize=8` sets a key from the command line; values are read as YAML, lists are set whole.',
    '- An unknown key is an error. A key that you wrote and that has no effect is an error too.',
    '- Relative paths are relative to the file that contains them; in a flag, to the current folder.',
    '- Evaluations and demonstrations use the longest `horizon`; evaluations use `evaluation.horizon` if it is set.\n',
    'Generated from `src/config/recipe-schema.ts` by `npm run reference`.\n',
    ...keySections('', root, new Map()),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function ablationPage(): string {
  const lines = [
    '# Ablation files\n',
    'This page lists all keys of an ablation file. The file defines which keys of a recipe vary, and how many seeds to run: `agentgym ablate FILE`.',
    'It is YAML, JSON or TypeScript. Editors complete and check YAML that begins with `# yaml-language-server: $schema=` and the path of',
    '[ablation.schema.json](ablation.schema.json).',
    '[Ablations](../ablations.md) explains its use and the axes that need no file.\n',
    'Generated from `src/config/ablation-schema.ts` by `npm run reference`.\n',
    ...keySections('', ablationSchema, new Map()),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/**
 * A table of a map's keys, then the sections of the maps in it.
 *
 * @param told path at which each shape was described before
 */
function keySections(path: string, schema: SchemaNode, told: Map<object, string>): string[] {
  const open = unwrap(schema);
  const shape = open.type === 'variant' ? open.options : open.entries;
  if (shape !== undefined) {
    const before = told.get(shape);
    if (before === path) return [];
    if (before !== undefined) return [`## \`${path}\`\n`, `The keys of \`${before}\`.\n`];
    told.set(shape, path);
  }
  if (open.type === 'variant') {
    return members(open).flatMap((member) => {
      const choice = open.key as string;
      const discriminator = member.entries?.[choice];
      const value = String(discriminator === undefined ? '' : unwrap(discriminator).literal);
      const title = `## \`${path}\` with \`${choice}: ${value}\`\n`;
      const says = discriminator === undefined ? undefined : descriptionOf(discriminator);
      return [title, ...(says === undefined ? [] : [`${says}.\n`]), ...keyTable(path, member, [choice], told)];
    });
  }
  if (open.type === 'record' && open.value !== undefined && unwrap(open.value).type !== 'unknown') {
    return keySections(`${path}.NAME`, open.value, told);
  }
  if (open.type === 'array' && open.item !== undefined) return keySections(`${path}[]`, open.item, told);
  if (open.entries === undefined) return [];
  const says = descriptionOf(schema);
  const title = path === '' ? '## Keys\n' : `## \`${path}\`\n`;
  return [title, ...(says === undefined ? [] : [`${says}.\n`]), ...keyTable(path, open, [], told)];
}

function keyTable(path: string, open: SchemaNode, without: readonly string[], told: Map<object, string>): string[] {
  const entries = Object.entries(open.entries ?? {}).filter(([key]) => !without.includes(key));
  const rows = entries.map(([key, schema]) => {
    const cells = [
      `\`${key}\``,
      typeName(schema),
      defaultOf(schema),
      descriptionOf(schema) ?? descriptionOf(unwrap(schema)) ?? '',
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  const table = ['| key | takes | default | meaning |', '|---|---|---|---|', ...rows, ''];
  const inner = entries.flatMap(([key, schema]) => keySections(path === '' ? key : `${path}.${key}`, schema, told));
  return [...table, ...inner];
}

function defaultOf(schema: SchemaNode): string {
  if (schema.type === 'exact_optional') return 'absent';
  if (schema.type !== 'optional') return 'required';
  const inner = unwrap(schema);
  const isMap = inner.entries !== undefined && JSON.stringify(schema.default) === '{}';
  return isMap ? 'see below' : `\`${JSON.stringify(schema.default)}\``;
}

interface Constraint {
  readonly type: string;
  readonly requirement?: unknown;
}

/** The type of a key, in a few words. */
function typeName(schema: SchemaNode): string {
  const open = unwrap(schema);
  const pipe = ((open as { pipe?: readonly Constraint[] }).pipe ?? []).slice(1);
  const limit = (type: string) => pipe.find((action) => action.type === type)?.requirement as number | undefined;
  switch (open.type) {
    case 'number': {
      const low = limit('min_value');
      const high = limit('max_value');
      const above = limit('gt_value');
      const below = limit('lt_value');
      const noun = pipe.some(({ type }) => type === 'safe_integer') ? 'whole number' : 'number';
      const bounds = [
        ...(above === undefined ? (low === undefined ? [] : [`from ${low}`]) : [`above ${above}`]),
        ...(high === undefined ? [] : [`to ${high}`]),
        ...(below === undefined ? [] : [`to below ${below}`]),
      ];
      return [noun, ...bounds].join(' ');
    }
    case 'string':
      return 'text';
    case 'boolean':
      return 'true, false';
    case 'literal':
      return `\`${JSON.stringify(open.literal)}\``;
    case 'picklist':
      return (open.options as readonly string[]).map((word) => `\`${word}\``).join(', ');
    case 'union':
      return (open.options as readonly SchemaNode[]).map(typeName).join(', ');
    case 'array':
      return `list of ${open.item === undefined ? 'values' : plural(typeName(open.item))}`;
    default:
      return 'map';
  }
}

function plural(words: string): string {
  return words.replace(/\b(number|map)\b/, '$1s');
}
