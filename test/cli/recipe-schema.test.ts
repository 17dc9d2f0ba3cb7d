// Compares the JSON Schema that editors use for recipes with the command line on the same recipes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';

import { resolveRecipe } from '../../src/config/resolve-recipe.js';
import { contributionKinds } from '../../src/plugins/check-contributions.js';
import { recipeJsonSchema } from '../../src/config/recipe-json-schema.js';
import { openPluginHost } from '../../src/plugins/open-plugin-host.js';
import { readPluginSource } from '../../src/plugins/plugin-source.js';
import { projectPluginSources } from '../../src/plugins/project-plugins.js';
import { documentOf } from './run-cli.js';
import { runWarm } from './warm-cli.js';
import { coinCode, coinEntry, newFolder, packageJson } from './write-plugin.js';

const repository = join(import.meta.dirname, '../..');
const project = newFolder({
  'package.json': packageJson({ name: 'mine' }),
  'index.js': coinEntry(),
  'coin.js': coinCode(),
});
const builtIn = await Promise.all(
  readdirSync(join(repository, 'plugins')).map((name) =>
    readPluginSource(join(repository, 'plugins', name), 'built-in'),
  ),
);
const host = openPluginHost([...builtIn, ...(await projectPluginSources(project)).sources]);
const located = (await Promise.all(contributionKinds.map((kind) => host.contributions(kind)))).flat();
const schema = await recipeJsonSchema(located.map(({ contribution }) => contribution));
const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);

const recipe = {
  recipeVersion: 1,
  environment: { name: 'coin', options: { sides: 3 } },
  algorithm: { name: 'grpo' },
  horizon: { schedule: 'fixed', turns: 2 },
  stages: { sft: { kind: 'sft', steps: 1 }, rl: { kind: 'rl', steps: 1 } },
};

/** Whether the command line accepts the recipe. */
async function resolves(keys: object): Promise<boolean> {
  const { resolved } = await resolveRecipe({ source: keys, cwd: project, host });
  return resolved !== undefined;
}

describe('the JSON Schema of recipes', () => {
  // Goes red when a block has no options, or accepts any name.
  it.each([
    ['as it is', true, {}],
    [
      'with options of a built-in environment',
      true,
      { environment: { name: 'guess-number', options: { width: [20, 31] } } },
    ],
    ['with an environment that is not there', false, { environment: { name: 'dice' } }],
    ['with an option that there is not', false, { environment: { name: 'coin', options: { size: 3 } } }],
    ['with options of another environment', false, { environment: { name: 'coin', options: { width: [20, 31] } } }],
    ['with an option above its maximum', false, { environment: { name: 'coin', options: { sides: 7 } } }],
    ['with an option of another type', false, { environment: { name: 'coin', options: { sides: 'two' } } }],
    ['with a part of a number', false, { environment: { name: 'coin', options: { sides: 2.5 } } }],
    ['with a reward that is not there', false, { reward: { terms: [{ name: 'thick' }] } }],
    ['with an option of a reward that has none', false, { reward: { terms: [{ name: 'sparse', options: { a: 1 } }] } }],
    ['with a preset', true, { policy: { name: 'transformer', preset: 'nano' } }],
    ['with a preset of a policy without presets', false, { policy: { name: 'tinker', preset: 'nano' } }],
    ['with a policy without presets', true, { policy: { name: 'tinker', from: '.' } }],
    ['with a preset that there is not', false, { policy: { name: 'transformer', preset: 'giant' } }],
    ['with an option of the algorithm', true, { algorithm: { name: 'grpo', options: { klCoefficient: 0.01 } } }],
    [
      'with an option of the algorithm below its minimum',
      false,
      { algorithm: { name: 'grpo', options: { klCoefficient: -1 } } },
    ],
    [
      'with another algorithm in a stage',
      true,
      { stages: { rl: { kind: 'rl', steps: 1 }, last: { kind: 'rl', steps: 1, algorithm: { name: 'rloo' } } } },
    ],
    [
      'with a wrong option of another algorithm in a stage',
      false,
      {
        stages: {
          rl: { kind: 'rl', steps: 1 },
          last: { kind: 'rl', steps: 1, algorithm: { name: 'rloo', options: { luck: 1 } } },
        },
      },
    ],
    [
      'with another environment to be played at the end',
      true,
      { evaluation: { final: { transfer: { other: { name: 'guess-number' } } } } },
    ],
    ['with one that is not there', false, { evaluation: { final: { transfer: { other: { name: 'dice' } } } } }],
    [
      'with an option that one has not',
      false,
      { evaluation: { final: { transfer: { other: { name: 'coin', options: { size: 1 } } } } } },
    ],
    ['with a key that there is not', false, { sede: 2 }],
    // Goes red when null is accepted without `extends`.
    ['with null for what it does not inherit', false, { description: null }],
    ['with pins', true, { plugins: { mine: '^1.0.0' } }],
  ])('and the command line judge a recipe %s alike', async (_, sound, changes) => {
    const changed = { ...recipe, ...changes };
    expect({ schema: validate(changed), cli: await resolves(changed) }).toEqual({ schema: sound, cli: sound });
  });

  it.each([
    ['an option', true, { environment: { options: { width: null } } }],
    ['a text', true, { description: null }],
    ['a stage', true, { stages: { sft: null } }],
    ['a name that there is not', false, { environment: { name: 'dice' } }],
    ['part of a stage, whose kind is inherited', true, { stages: { rl: { tasksPerStep: 16 } } }],
  ])('and the command line judge a recipe alike that changes another one: %s', async (_, sound, changes) => {
    const changed = { recipeVersion: 1, extends: 'quickstart', ...changes };
    expect({ schema: validate(changed), cli: await resolves(changed) }).toEqual({ schema: sound, cli: sound });
  });

  it('takes every built-in recipe', () => {
    const folder = join(repository, 'recipes');
    const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) => /\brecipe\.yaml$/.test(file));
    expect(files).toContain('quickstart/recipe.yaml');
    expect(files.filter((file) => !validate(parse(readFileSync(join(folder, file), 'utf8'))))).toEqual([]);
  });

  it('says what editors show: names with their summaries, options with bounds, defaults and descriptions', () => {
    const { properties } = (
      schema as unknown as { else: { properties: { environment: { properties: object; allOf: object[] } } } }
    ).else;
    expect(properties.environment.properties).toMatchObject({
      name: { oneOf: expect.arrayContaining([{ const: 'coin', description: 'Guess the side' }]) as unknown },
    });
    expect(properties.environment.allOf).toContainEqual({
      if: { properties: { name: { const: 'coin' } }, required: ['name'] },
      then: {
        properties: {
          options: {
            type: 'object',
            additionalProperties: false,
            properties: { sides: { type: 'integer', minimum: 2, maximum: 6, default: 2, description: 'Sides' } },
          },
        },
      },
    });
  });

  it('is written by `agentgym schema`, with the plugins of the project', async () => {
    const written = await runWarm(['schema', '--output', 'schemas/recipe.schema.json'], { cwd: project });
    expect(written.code).toBe(0);
    expect(written.stdout).toContain('# yaml-language-server: $schema=./recipe.schema.json');
    const file = JSON.parse(readFileSync(join(project, 'schemas/recipe.schema.json'), 'utf8')) as object;
    expect(stringify(file)).toContain('coin');
    const printed = documentOf(await runWarm(['schema', '--json'], { cwd: project }));
    expect(printed['schema']).toEqual(file);
  });

  it('comes from the same declaration as what `describe` shows', async () => {
    const shown = await runWarm(['describe', 'env', 'coin'], { cwd: project });
    expect(shown.stdout).toContain('sides: a whole number from 2 to 6; default 2');
    expect(shown.stdout).toContain('Sides (varied by `ablate complexity`: 2, 4)');
    expect(shown.stdout).toContain('tasks: unbounded train, unbounded validation, unbounded test');
    expect(shown.stdout).toContain('experts: oracle, demonstrator');
    expect(shown.stdout).toContain('ends after at most 3 turns');
  });
});
