import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import * as v from 'valibot';

import { AgentgymError } from '../errors/agentgym-error.js';
import { checkStructure } from './check-structure.js';
import { Complaints } from './complaints.js';
import { readRecipeFile } from './read-recipe-file.js';
import { type Recipe, reward } from './recipe-schema.js';

const format = { schema: v.strictObject({ reward }), name: 'the reward', page: 'docs/reference/recipe.md' };

/**
 * Reads a file with the key `reward` of a recipe, and nothing else: YAML, JSON or TypeScript.
 *
 * @throws AG_RECIPE_NOT_FOUND, AG_RECIPE_SYNTAX, or all errors of its keys in `findings`
 */
export async function readRewardFile(path: string, cwd: string): Promise<Recipe['reward']['terms']> {
  const file = resolve(cwd, path);
  if (!existsSync(file)) {
    throw new AgentgymError('AG_RECIPE_NOT_FOUND', {
      message: `There is no file ${file}.`,
      hint: 'Write one with the key `reward` of a recipe, such as `reward: { terms: [{ name: dense }] }`.',
      file,
    });
  }
  const layer = await readRecipeFile(file, 'recipe');
  const complaints = new Complaints(() => layer);
  const document = checkStructure(format, layer.value, complaints);
  for (const [place, { name }] of document?.reward.terms.entries() ?? []) {
    if (document?.reward.terms.findIndex((term) => term.name === name) === place) continue;
    const message = `\`reward.terms[${place}].name\` repeats ${name}`;
    complaints.add(
      'AG_RECIPE_INVALID',
      ['reward', 'terms', place, 'name'],
      message,
      'Use one term with the sum of the weights.',
    );
  }
  if (document?.reward.allowInversion === true) {
    const message = '`reward.allowInversion` has no effect here: nothing is trained';
    complaints.addIdle(['reward', 'allowInversion'], message, 'Remove it.');
  }
  const [first] = complaints.findings;
  if (first !== undefined) throw new AgentgymError(first.code, { ...first, findings: complaints.findings });
  if (document === undefined) throw new Error(`${file} was read without a document and without a complaint`);
  return document.reward.terms;
}
