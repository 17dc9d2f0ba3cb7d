import { existsSync } from 'node:fs';

import { AgentgymError } from '../errors/agentgym-error.js';

/**
 * Refuses text that looks like the name of a model on a hub, such as `Qwen/Qwen2.5-0.5B`, if there is no such folder:
 * it would be read as a path.
 *
 * @throws AG_RECIPE_INVALID
 */
export function refuseHubId(from: string): void {
  if (!/^\w[\w.-]*\/[\w.-]+$/.test(from) || existsSync(from)) return;
  const folder = `models/${from.slice(from.indexOf('/') + 1)}`;
  throw new AgentgymError('AG_RECIPE_INVALID', {
    message: `\`policy.from\` is ${from}, but this folder does not exist. It looks like the name of a model on a hub; agentgym does not download models`,
    hint: `Download it, for example with \`hf download ${from} --local-dir ${folder}\`, and write \`policy.from: ./${folder}\`.`,
    path: 'policy.from',
  });
}
