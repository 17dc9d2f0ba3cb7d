import { existsSync } from 'node:fs';

import { AgentgymError } from '../errors/agentgym-error.js';
import { shellWord } from '../errors/shell-word.js';
import { findFetchedModel, isFetchedName } from '../hub/fetched-model.js';

/**
 * The folder or the GGUF file that `policy.from` names: a path, or the name of a model that `agentgym pull` fetched. What
 * exists at the path comes first. `{seed}` in it stands for the seed of the run.
 *
 * @throws AG_RECIPE_INVALID for the name of a model that was not pulled: it would be read as a path
 */
export function resolveStart(name: string, seed: number, cacheDirectory: string): string {
  const from = name.replaceAll('{seed}', String(seed));
  if (!isFetchedName(from) || existsSync(from)) return from;
  const pulled = findFetchedModel(cacheDirectory, from);
  if (pulled !== undefined) return pulled;
  throw new AgentgymError('AG_RECIPE_INVALID', {
    message: `\`policy.from\` is ${from}, but there is no such folder, and no model of this name was pulled`,
    hint: `Fetch the model with \`agentgym pull ${shellWord(from)}\`. A folder next to the recipe begins with \`./\`.`,
    path: 'policy.from',
  });
}
