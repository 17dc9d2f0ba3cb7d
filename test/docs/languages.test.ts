// Checks blocks without commands: recipes resolve, TypeScript compiles, and everything else is at least well-formed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { repository } from '../architecture/source-files.js';
import { acceptRecipe, resolveRecipe } from '../../src/config/resolve-recipe.js';
import { planAblation } from '../../src/ablation/plan-ablation.js';
import { openPluginHost } from '../../src/plugins/open-plugin-host.js';
import { readPluginSource } from '../../src/plugins/plugin-source.js';
import { fillTemplate } from '../../src/scaffolding/fill-template.js';
import { parseProjectName } from '../../src/scaffolding/project-name.js';
import { findTemplate } from '../../src/scaffolding/template.js';
import { testHost } from '../../src/testing/test-host.js';
import { typeErrors } from '../types/type-errors.js';
import { type CodeBlock, codeBlocks, noteOf } from './code-blocks.js';
import { documents } from './documents.js';

const blocks = documents.flatMap(codeBlocks);
const written = (...languages: string[]) =>
  blocks
    .filter(({ language }) => languages.includes(language))
    .map((block) => [`${block.document}:${block.line}`, block] as const);

const folder = mkdtempSync(join(tmpdir(), 'agentgym-blocks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const plugins = join(repository, 'plugins');
const host = openPluginHost(
  await Promise.all(readdirSync(plugins).map((name) => readPluginSource(join(plugins, name)))),
);

/** Languages that are checked here or in console.test.ts; other languages are refused. */
const KNOWN = ['', 'text', 'console', 'yaml', 'ts', 'js', 'json', 'jsonc', 'python'];

it('are in languages that something here checks', () => {
  expect(blocks.filter(({ language }) => !KNOWN.includes(language))).toEqual([]);
});

describe('YAML', () => {
  it.each(written('yaml'))('%s', async (_where, block) => {
    const value = parse(block.text) as Record<string, unknown>;
    const file = noteOf(block, 'file');
    // The commands of the page read this file with the plugins of the page. `agentgym train` alone reads recipe.yaml.
    if (file !== undefined)
      return expect(isReadBelow(block, file === 'recipe.yaml' ? 'agentgym train' : file)).toBe(true);
    if ('ablationVersion' in value) {
      const what = join(folder, 'ablation.yaml');
      writeFileSync(what, block.text);
      const settings = testHost();
      const plan = await planAblation({ what, sets: [], cwd: folder, runsFolder: 'runs', host, settings, yes: false });
      return expect(plan.cells.length).toBeGreaterThan(1);
    }
    const base = noteOf(block, 'in');
    expect(
      base !== undefined || 'extends' in value || 'recipeVersion' in value,
      'neither a recipe nor a part of one',
    ).toBe(true);
    const source = base === undefined ? value : { extends: base, ...value };
    expect(acceptRecipe(await resolveRecipe({ source, cwd: repository, host })).recipe.recipeVersion).toBe(1);
  });
});

describe('TypeScript', () => {
  // Blocks with the note `made` are files of templates, which are compiled where they lie.
  const own = written('ts').filter(([, block]) => noteOf(block, 'made') === undefined);
  const files = new Map(own.map(([, block]) => [pathOf(block), block.text]));
  const errors = typeErrors(files);
  it.each(own)('%s compiles', (_where, block) => {
    expect(errors.get(pathOf(block))).toEqual([]);
  });

  /** Blocks of a page import each other by the names in their notes. */
  function pathOf(block: CodeBlock): string {
    return `${block.document}/${noteOf(block, 'file') ?? `line-${block.line}.ts`}`;
  }
});

describe('a block that is said to be an example', () => {
  const same = blocks.flatMap((block) => {
    const path = noteOf(block, 'same');
    return path === undefined ? [] : [[`${block.document}:${block.line}`, path, block] as const];
  });

  it.each(same)('%s is %s', (_where, path, block) => {
    expect(`${block.text}\n`).toBe(readFileSync(join(repository, 'docs/guides/examples', path), 'utf8'));
  });

  it('is there for every file of the examples', () => {
    const examples = join(repository, 'docs/guides/examples');
    const names = readdirSync(examples, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(examples.length + 1));
    expect(new Set(same.map(([, path]) => path))).toEqual(new Set(names));
  });
});

describe('a block that `agentgym init` makes', () => {
  const made = blocks.flatMap((block) => {
    const path = noteOf(block, 'made');
    return path === undefined ? [] : [[`${block.document}:${block.line}`, path, block] as const];
  });

  it.each(made)('%s is %s with the name of the page', async (_where, path, block) => {
    const [folder = '', ...rest] = path.split('/');
    const template = findTemplate(folder);
    const page = readFileSync(join(repository, block.document), 'utf8');
    const given = new RegExp(`agentgym init --template ${folder} --name (\\S+)`).exec(page)?.[1] ?? '';
    const values = { ...parseProjectName(given, template), host: '' };
    const files = await fillTemplate(template, values, repository);
    const name = rest.join('/').replace('template-name', values.name);
    expect(`${block.text}\n`).toBe(files.find((file) => file.path === name)?.content);
  });
});

it.each(written('json'))('JSON: %s', (_where, { text }) => {
  expect(() => JSON.parse(text) as unknown).not.toThrow();
});

it.each(written('jsonc'))('JSON with comments: %s', (_where, { text }) => {
  expect(ts.parseConfigFileTextToJson('block.json', text).error).toBeUndefined();
});

it.each(written('js'))('JavaScript: %s', (_where, { text }) => {
  const file = join(folder, 'block.mjs');
  writeFileSync(file, text);
  expect(spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr).toBe('');
});

// Imported packages need not be installed: only the syntax is checked, and only if there is a Python.
const hasPython = spawnSync('python3', ['--version']).status === 0;
it.skipIf(!hasPython).each(written('python'))('Python: %s', (_where, { text }) => {
  const check = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
    input: text,
    encoding: 'utf8',
  });
  expect(check.stderr).toBe('');
});

function isReadBelow(block: CodeBlock, file: string): boolean {
  const below = blocks.filter(
    (other) => other.document === block.document && other.line > block.line && other.language === 'console',
  );
  return below.some(({ text }) => text.includes(file));
}
