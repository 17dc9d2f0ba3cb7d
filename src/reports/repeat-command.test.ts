import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { beforeAll, expect, it } from 'vitest';

import { acceptRecipe, resolveRecipe } from '../config/resolve-recipe.js';
import { openPluginHost, type PluginHost } from '../plugins/open-plugin-host.js';
import { readPluginSource } from '../plugins/plugin-source.js';
import type { RunManifest } from '../runs/run-manifest.js';
import { repeatCommand } from './repeat-command.js';

const cwd = mkdtempSync(join(tmpdir(), 'agentgym-repeat-'));
const directory = join(cwd, 'runs', 'mine');
let host: PluginHost;
beforeAll(async () => {
  const plugins = resolve(import.meta.dirname, '../../plugins');
  host = openPluginHost(await Promise.all(readdirSync(plugins).map((name) => readPluginSource(join(plugins, name)))));
});

const commandFor = async (sets: string[], name = 'quickstart') => {
  const { recipe } = acceptRecipe(await resolveRecipe({ source: 'quickstart', sets, cwd, host }));
  const manifest = { name, recipe: { ...recipe, name } } as unknown as RunManifest;
  return repeatCommand({ directory, manifest }, { cwd, host });
};

it('names a built-in recipe with the seed and what was set, as a shell takes it', async () => {
  expect(await commandFor(['seed=3'])).toBe('agentgym train quickstart --seed 3');
  // Goes red when a reworded description is part of the command: it changes no number.
  expect(await commandFor(['seed=3', 'description="Older words."'])).toBe('agentgym train quickstart --seed 3');
  const command = await commandFor(['algorithm.groupSize=8', 'environment.options.width=[10,20]']);

  expect(command).toMatch(/ --set algorithm\.groupSize=8/);
  expect(command).toContain(`--set 'environment.options.width=[10,20]'`);
});

// Goes red when the command trains something else.
it('takes the manifest where no flags make the recipe', async () => {
  expect(await commandFor([], 'my-own')).toBe('agentgym train runs/mine/manifest.json');
});

it('gives flags that make the very same recipe', async () => {
  const sets = ['algorithm.groupSize=8', 'evaluation.temperatures=[0]', 'stages.rl.optimizer.clipNorm=0.5'];
  const command = await commandFor(sets);
  const flags = [...command.matchAll(/--set (?:'([^']+)'|(\S+))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  expect(flags.sort()).toEqual([...sets].sort());
});
