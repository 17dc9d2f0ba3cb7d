import { checkOptions } from '../config/check-options.js';
import { findRequirements, type RequirementFinding } from '../requirements/find-requirements.js';
import { callPlugin } from './call-plugin.js';
import type { LocatedContribution } from './open-plugin-host.js';

/** What became of the requirements of a contribution with its default options. Empty for all but environments. */
export async function requiredBy(
  located: LocatedContribution,
  signal: AbortSignal,
): Promise<readonly RequirementFinding[]> {
  const { contribution } = located;
  if (contribution.kind !== 'environment' || contribution.requires === undefined) return [];
  const { values } = checkOptions(contribution.options);
  const requirements = await callPlugin(located, 'requires', () => contribution.requires?.(values as never) ?? []);
  return findRequirements(requirements, signal);
}
