import { readFile } from 'node:fs/promises';

import { builtInRecipes, recipeSummary } from '../config/built-in-recipes.js';
import type { ContributionKind } from '../contracts/plugin.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';

/** One line of `agentgym list`. */
export interface ListedContribution {
  readonly name: string;
  /** Package that it comes from. */
  readonly plugin: string;
  readonly version: string;
  readonly summary: string;
}

/** All there is to build a recipe of, by kind, and the built-in recipes; each list in name order. */
export async function listContributions(host: PluginHost) {
  return {
    environments: await listKind(host, 'environment'),
    rewards: await listKind(host, 'reward'),
    policies: await listKind(host, 'policy'),
    algorithms: await listKind(host, 'algorithm'),
    formats: await listKind(host, 'format'),
    tools: await listKind(host, 'tool'),
    recipes: await listRecipes(),
  };
}

/** Two aligned columns: name and summary. */
export function listLines(items: readonly ListedContribution[]): string[] {
  const width = Math.max(0, ...items.map((item) => item.name.length));
  return items.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
}

async function listKind(host: PluginHost, kind: ContributionKind): Promise<ListedContribution[]> {
  return (await host.contributions(kind)).map(({ name, package: plugin, version, contribution }) => ({
    name,
    plugin,
    version,
    summary: contribution.summary,
  }));
}

async function listRecipes(): Promise<ListedContribution[]> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { name: plugin, version } = JSON.parse(text) as { name: string; version: string };
  const recipes = await builtInRecipes();
  return Promise.all(
    recipes.map(async (recipe) => ({ name: recipe.name, plugin, version, summary: await recipeSummary(recipe) })),
  );
}
