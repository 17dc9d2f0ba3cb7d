/**
 * All recipes of the CLI, and all others in recipes/, resolve without a complaint against the plugins of this
 * repository.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { type ContributionFinder } from '../../src/config/check-recipe-contributions.js';
import { planAblation } from '../../src/ablation/plan-ablation.js';
import { openPluginHost } from '../../src/plugins/open-plugin-host.js';
import { readPluginSource } from '../../src/plugins/plugin-source.js';
import { testHost } from '../../src/testing/test-host.js';
import { acceptRecipe, resolveRecipe } from '../../src/config/resolve-recipe.js';
import { checkContributions } from '../../src/plugins/check-contributions.js';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const files = readdirSync(folder('../../recipes'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml'))
  .sort();
const ablations = files.filter((path) =>
  readFileSync(join(folder('../../recipes'), path), 'utf8').includes('ablationVersion:'),
);
const recipes = files.filter((path) => !ablations.includes(path));

const plugins = folder('../../plugins');
const modules = await Promise.all(
  readdirSync(plugins).map((name) => import(join(plugins, name, 'src/index.ts')) as Promise<{ default: unknown }>),
);
const contributions = modules.flatMap((module) => checkContributions(module.default).contributions ?? []);
const finder: ContributionFinder = {
  find(kind, name) {
    const contribution = contributions.find((one) => one.kind === kind && one.name === name);
    if (contribution === undefined) throw new Error(`no plugin here has the ${kind} ${name}`);
    return Promise.resolve({ contribution });
  },
  load: ({ contribution }) => contribution.load(),
  packages: () => [],
};

describe('recipes', () => {
  it.each(recipes)('%s resolves', async (path) => {
    const source = join(folder('../../recipes'), path);
    const { recipe } = acceptRecipe(await resolveRecipe({ source, sets: [], cwd: '/', host: finder }));
    expect(recipe.recipeVersion).toBe(1);
  });

  it.each(ablations)('%s has cells that resolve', async (path) => {
    const source = await Promise.all(readdirSync(plugins).map((name) => readPluginSource(join(plugins, name))));
    const { cells } = await planAblation({
      what: join(folder('../../recipes'), path),
      sets: [],
      cwd: '/',
      runsFolder: 'runs',
      host: openPluginHost(source),
      settings: testHost(),
      yes: false,
    });
    expect(cells.length).toBeGreaterThan(1);
  });

  it('has one for each algorithm that the Guide and AgentGym-RL compare', () => {
    const names = (group: string): string[] => recipes.filter((path) => path.startsWith(group));
    expect(names('practitioners-guide/')).toHaveLength(6);
    // The fifth has another action format.
    expect(names('agentgym-rl/').filter((path) => !path.endsWith('react.yaml'))).toHaveLength(4);
  });
});
