import type { CollectionTimes } from '../rollout/collect-episodes.js';
import type { CallTimes } from '../rollout/world-handle.js';

/**
 * What the collections of a step took.
 *
 * @param before what calls of the world had taken until then
 * @returns `time/policy_waiting_share`, the share of the collections in which the policy waited for environments, and
 * the seconds of the calls of each phase, summed up over episodes that were played side by side
 */
export function collectionTimes(
  collections: readonly CollectionTimes[],
  before: CallTimes,
  after: CallTimes,
): Record<string, number> {
  const total = collections.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const waited = collections.reduce((sum, { policyWaited }) => sum + policyWaited, 0);
  const phases = Object.entries(after).flatMap(([phase, { calls, milliseconds }]): [string, number][] => {
    const earlier = before[phase as keyof CallTimes];
    if (calls === earlier.calls) return [];
    return [[`time/environment_${phase}_seconds`, (milliseconds - earlier.milliseconds) / 1000]];
  });
  return { 'time/policy_waiting_share': total > 0 ? waited / total : 0, ...Object.fromEntries(phases) };
}
