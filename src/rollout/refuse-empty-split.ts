import type { SplitName } from '../contracts/environment.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { splitNames } from './split-names.js';
import type { WorldHandle } from './world-handle.js';

/**
 * Throws AG_ENVIRONMENT_CANNOT if a split has no tasks. Without it, results over no episode look like results.
 *
 * @param path key of the recipe that names the split; absent: a flag named it
 */
export function refuseEmptySplit(
  { title, splits }: Pick<WorldHandle, 'title' | 'splits'>,
  split: SplitName,
  path?: string,
): void {
  if (splits[split].count !== 0) return;
  const others = splitNames.filter((name) => splits[name].count !== 0);
  throw new AgentgymError('AG_ENVIRONMENT_CANNOT', {
    message: `The split \`${split}\` of the ${title} has no tasks.`,
    hint: `Splits with tasks: ${others.join(', ') || 'none'}. Choose one of them, or change the options of the environment.`,
    ...(path !== undefined && { path }),
  });
}
