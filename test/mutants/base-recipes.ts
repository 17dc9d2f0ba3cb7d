// The base of mutants: the recipes of the checkout and of its templates, resolved and reduced so that a step is fast.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { acceptRecipe, resolveRecipe } from '../../src/config/resolve-recipe.js';
import type { Recipe } from '../../src/config/recipe-schema.js';
import type { PluginHost } from '../../src/plugins/open-plugin-host.js';
import { repository } from '../architecture/source-files.js';

export interface BaseRecipe {
  /** Its file: `recipes/quickstart/recipe.yaml`. */
  readonly name: string;
  readonly recipe: Recipe;
}

/** Replacements for contributions of a template's own plugin. */
const substitutes: readonly [RegExp, string][] = [
  [/environment: \{ name: (shelf|'template-name') \}/, 'environment: { name: guess-number }'],
  [/name: 'template-name', sampling/, 'name: transformer, preset: pico, sampling'],
  [/(terms: \[\{ name:) ?'template-name'/, '$1 sparse'],
  [/algorithm:\n {2}name: 'template-name'/, 'algorithm:\n  name: grpo'],
  [/^name: 'template-name'/m, 'name: template'],
];

/** All recipes, sorted by name. */
export async function baseRecipes(host: PluginHost): Promise<readonly BaseRecipe[]> {
  const files = ['recipes', 'templates'].flatMap((folder) =>
    readdirSync(join(repository, folder)).flatMap((name) => recipeFiles(join(repository, folder, name))),
  );
  const bases: BaseRecipe[] = [];
  for (const file of files.sort()) {
    const name = file.slice(repository.length);
    bases.push({ name, recipe: cutDown(await resolveAt(file, host)) });
  }
  return bases;
}

function recipeFiles(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  // An ablation is not a recipe, and a folder with demonstrations or weights is incomplete without them.
  return files
    .map((name) => join(folder, name))
    .filter((file) => !/^(grid|cells|axis|recipe):/m.test(readFileSync(file, 'utf8')));
}

async function resolveAt(file: string, host: PluginHost): Promise<Recipe> {
  if (!file.includes('templates'))
    return acceptRecipe(await resolveRecipe({ source: file, cwd: repository, host })).recipe;
  const text = substitutes.reduce((whole, [pattern, by]) => whole.replace(pattern, by), readFileSync(file, 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-base-'));
  try {
    writeFileSync(join(folder, 'recipe.yaml'), text);
    return acceptRecipe(await resolveRecipe({ source: join(folder, 'recipe.yaml'), cwd: folder, host })).recipe;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A small version of the recipe: every number that costs time is as low as its rules allow. */
function cutDown(recipe: Recipe): Recipe {
  const cut: Cut = structuredClone(recipe);
  cut.policy.preset = 'pico';
  delete cut.policy.from;
  cut.policy.options = { ...cut.policy.options, threads: 1 };
  cut.policy.sampling.maxActionTokens = Math.min(cut.policy.sampling.maxActionTokens, 8);
  if (cut.algorithm !== undefined)
    Object.assign(cut.algorithm, { groupSize: 4, minibatches: Math.min(cut.algorithm.minibatches, 2) });
  for (const stage of Object.values(cut.stages)) {
    stage.optimizer.warmup = 0;
    if (stage.kind === 'sft') {
      stage.batchSize = 4;
      stage.steps = 2;
      if (stage.demonstrations.count !== undefined) stage.demonstrations.count = 8;
    } else {
      stage.tasksPerStep = 2;
      if (stage.algorithm?.groupSize !== undefined) stage.algorithm.groupSize = 4;
      if (stage.algorithm?.minibatches !== undefined) stage.algorithm.minibatches = 2;
    }
  }
  // The rules refuse horizons that no step reaches.
  const longest = recipe.horizon?.schedule === 'scaling-inter' ? recipe.horizon.turns.length : 2;
  if (cut.horizon?.schedule === 'scaling-inter') cut.horizon.every = 1;
  for (const stage of Object.values(cut.stages)) if (stage.kind === 'rl') stage.steps = longest;
  Object.assign(cut.evaluation.final, { tasks: 2 });
  if (cut.evaluation.every > 0) cut.evaluation.tasks = 2;
  return cut;
}

/** A recipe with writable keys. */
type Cut = { -readonly [Key in keyof Recipe]: Recipe[Key] };
