import { environmentPhases } from '../rollout/call-clock.js';
import type { CollectionTimes, Playing } from '../rollout/collect-episodes.js';
import type { CallTimes } from '../rollout/world-handle.js';

/** Times of the environments of a stage so far. */
export interface EntryTimes {
  /** Calls of all their worlds. */
  readonly calls: CallTimes;
  /** Milliseconds of their tools. Absent: none has tools. */
  readonly tools?: number;
}

export function timesOf(entries: readonly Pick<Playing, 'actor' | 'environments'>[]): EntryTimes {
  const worlds = [...new Set(entries.map(({ environments }) => environments.world))].map((world) => world.times());
  const boxes = [...new Set(entries.flatMap(({ actor }) => actor.tools ?? []))];
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const calls = environmentPhases.map((phase) => [
    phase,
    {
      calls: sum(worlds.map((times) => times[phase].calls)),
      milliseconds: sum(worlds.map((times) => times[phase].milliseconds)),
    },
  ]);
  return {
    calls: Object.fromEntries(calls) as CallTimes,
    ...(boxes.length > 0 && { tools: sum(boxes.map(({ milliseconds }) => milliseconds)) }),
  };
}

/**
 * Times of the collections of a step.
 *
 * @param before times of the calls of the world before the step
 * @returns `time/policy_waiting_share`, the share of collection time in which the policy waited for environments or judges, and
 * the seconds of the calls of each phase, summed over concurrent episodes
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
