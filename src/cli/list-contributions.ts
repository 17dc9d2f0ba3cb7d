import { readFile } from 'node:fs/promises';

import { builtInRecipes, recipeSummary } from '../config/built-in-recipes.js';
import type { ContributionKind } from '../contracts/plugin.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { PluginOrigin } from '../plugins/plugin-source.js';
import { originWords } from '../plugins/replaced-packages.js';
import { contributionLists, type ContributionList } from './contribution-lists.js';

/** One line of `agentgym list`. */
export interface ListedContribution {
  readonly name: string;
  /** The package that provides it. */
  readonly plugin: string;
  readonly version: string;
  /** How that package was installed. */
  readonly origin: PluginOrigin;
  readonly summary: string;
}

/** All contributions for recipes, by kind, and the built-in recipes; each list is sorted by name. */
export async function listContributions(host: PluginHost) {
  const lists = {} as { [list in ContributionList | 'recipes']: readonly ListedContribution[] };
  for (const [kind, list] of Object.entries(contributionLists)) {
    lists[list] = await listKind(host, kind as ContributionKind);
  }
  lists.recipes = await listRecipes();
  return lists;
}

/** Two aligned columns, name and summary. A package that is not part of the CLI is named. */
export function listLines(items: readonly ListedContribution[]): string[] {
  const width = Math.max(0, ...items.map((item) => item.name.length));
  return items.map(({ name, summary, origin, plugin }) => {
    const whose = origin === 'built-in' ? '' : ` (${plugin}, ${originWords[origin]})`;
    return `  ${name.padEnd(width)}  ${summary}${whose}`;
  });
}

async function listKind(host: PluginHost, kind: ContributionKind): Promise<ListedContribution[]> {
  const packages = host.packages();
  return (await host.contributions(kind)).map(({ name, package: plugin, version, contribution }) => ({
    name,
    plugin,
    version,
    origin: packages.find((source) => source.name === plugin)?.origin ?? 'built-in',
    summary: contribution.summary,
  }));
}

async function listRecipes(): Promise<ListedContribution[]> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { name: plugin, version } = JSON.parse(text) as { name: string; version: string };
  const recipes = await builtInRecipes();
  return Promise.all(
    recipes.map(async (recipe) => ({
      name: recipe.name,
      plugin,
      version,
      origin: 'built-in' as const,
      summary: await recipeSummary(recipe),
    })),
  );
}
