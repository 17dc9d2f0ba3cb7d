import { existsSync } from 'node:fs';

import { AgentgymError } from '../errors/agentgym-error.js';
import { shellWord } from '../errors/shell-word.js';
import { findPulledModel, isModelName } from '../hub/pulled-model.js';

/**
 * The folder that `policy.from` names: a path, or ORG/NAME of a model that `agentgym pull` fetched. A folder that exists
 * at the path comes first. `{seed}` in it stands for the seed of the run.
 *
 * @throws AG_RECIPE_INVALID for ORG/NAME of a model that was not pulled: it would be read as a path
 */
export function resolveStart(name: string, seed: number, cacheDirectory: string): string {
  const from = name.replaceAll('{seed}', String(seed));
  if (!isModelName(from) || existsSync(from)) return from;
  const pulled = findPulledModel(cacheDirectory, from);
  if (pulled !== undefined) return pulled;
  throw new AgentgymError('AG_RECIPE_INVALID', {
    message: `\`policy.from\` is ${from}, but there is no such folder, and no model of this name was pulled`,
    hint: `Fetch the model with \`agentgym pull ${shellWord(from)}\`. A folder next to the recipe begins with \`./\`.`,
    path: 'policy.from',
  });
}
