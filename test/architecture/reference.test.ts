// docs/reference/ must match the code, and the code must describe everything that a reader can meet.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { allCommands } from '../../scripts/reference/commands-page.js';
import { contractExports } from '../../scripts/reference/contract-pages.js';
import { figuresFolder, measuredPerformancePage, performancePage } from '../../scripts/performance-page.js';
import { pluginPackages } from '../../scripts/reference/plugin-pages.js';
import { referencePages } from '../../scripts/reference-pages.js';
import { ablationSchema } from '../../src/config/ablation-schema.js';
import { recipeSchema } from '../../src/config/recipe-schema.js';
import { descriptionOf, members, unwrap, type SchemaNode } from '../../src/config/schema-keys.js';
import { errorCodes } from '../../src/errors/error-codes.js';
import { repository } from './source-files.js';

const pages = await referencePages();
const folder = join(repository, 'docs/reference');

describe('docs/reference', () => {
  it.each(Object.entries(pages))('%s is what the code says: `npm run reference`', (name, text) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });

  it('is told by measurements in docs/performance.md: `npm run reference`', () => {
    const { page, figures } = measuredPerformancePage();
    expect(readFileSync(performancePage, 'utf8')).toBe(page);
    for (const [name, text] of figures) expect(readFileSync(join(figuresFolder, name), 'utf8'), name).toBe(text);
  });

  it('holds nothing else', () => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = entries.map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
    expect(names.sort()).toEqual(Object.keys(pages).sort());
  });
});

describe('is documented:', () => {
  it('every command, its arguments and its flags, of those that are ours', async () => {
    const said = (text: string | undefined) => (text ?? '').trim() !== '';
    const ours = (await allCommands()).filter(({ pluginName }) => pluginName === '@agentgym/cli');
    const mute = ours.flatMap((command) => [
      ...(said(command.summary) ? [] : [command.id]),
      ...Object.values(command.args).flatMap((arg) => (said(arg.description) ? [] : [`${command.id} ${arg.name}`])),
      ...Object.entries(command.flags).flatMap(([name, flag]) =>
        flag.hidden === true || said(flag.summary ?? flag.description) ? [] : [`${command.id} --${name}`],
      ),
    ]);
    expect(ours.length).toBeGreaterThan(10);
    expect(mute).toEqual([]);
  });

  it('every command with an example, among those that are ours', async () => {
    const ours = (await allCommands()).filter(({ pluginName }) => pluginName === '@agentgym/cli');
    expect(ours.filter(({ examples = [] }) => examples.length === 0).map(({ id }) => id)).toEqual([]);
  });

  it('every key of a recipe and of an ablation', () => {
    expect([
      ...muteKeys('recipe', recipeSchema as unknown as SchemaNode),
      ...muteKeys('ablation', ablationSchema),
    ]).toEqual([]);
  });

  it('every error code: what it means, what it comes of, what helps', () => {
    const short = Object.entries(errorCodes).filter(([, { meaning, cause, cure }]) =>
      [meaning, cause, cure].some((text) => !/^.{15,}[.?)]$/.test(text)),
    );
    expect(short).toEqual([]);
  });

  it('every type of the contracts', () => {
    const mute = contractExports().filter(({ prose }) => prose === '');
    expect(mute.map(({ contract, name }) => `src/contracts/${contract}.ts: ${name}`)).toEqual([]);
  });

  it('every plugin, by a README and by a summary of each option', async () => {
    const plugins = await pluginPackages();
    expect(plugins.map(({ folder: name }) => name)).toEqual(readdirSync(join(repository, 'plugins')).sort());
    const mute = plugins.flatMap(({ folder: name, contributions }) => {
      const readme = readFileSync(join(repository, 'plugins', name, 'README.md'), 'utf8');
      const options = contributions.flatMap((one) => Object.entries(one.options));
      return [
        ...(readme.length < 200 ? [`${name}: README.md`] : []),
        ...options.filter(([, { description }]) => description.length < 8).map(([option]) => `${name}: ${option}`),
      ];
    });
    expect(mute).toEqual([]);
  });
});

/** Keys without a description, in a schema and in all schemas inside it. */
function muteKeys(path: string, schema: SchemaNode, seen = new Set<object>()): string[] {
  const open = unwrap(schema);
  if (seen.has(open)) return [];
  seen.add(open);
  if (open.type === 'variant') return members(open).flatMap((member) => muteKeys(path, member, seen));
  if (open.type === 'array' && open.item !== undefined) return muteKeys(`${path}[]`, open.item, seen);
  if (open.type === 'record' && open.value !== undefined) return muteKeys(`${path}.NAME`, open.value, seen);
  return Object.entries(open.entries ?? {}).flatMap(([key, inner]) => {
    const isMute = (descriptionOf(inner) ?? descriptionOf(unwrap(inner)) ?? '') === '';
    return [...(isMute ? [`${path}.${key}`] : []), ...muteKeys(`${path}.${key}`, inner, seen)];
  });
}
