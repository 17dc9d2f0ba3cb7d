import type { EnvironmentSettings } from '../config/recipe-schema.js';
import type { EnvironmentNeeds, EnvironmentPhase } from '../contracts/environment.js';
import type { OptionalFact } from '../contracts/facts.js';
import type { FoundRequirement } from '../contracts/requirement.js';
import type { PlayedEnvironment } from '../demonstrations/demonstration-header.js';
import { environmentPhases } from '../rollout/call-clock.js';
import type { EnvironmentPool } from '../rollout/environment-pool.js';
import type { WorldSettings } from '../rollout/local-world.js';
import type { WorldHandle } from '../rollout/world-handle.js';

/** An environment that is ready to be played. */
export interface OpenEnvironment extends PlayedEnvironment {
  readonly world: WorldHandle;
  /** One pool for all players. Dispose of it at the end. */
  readonly pool: EnvironmentPool;
  /** Threads that hold its instances; 0: they are in the main thread. */
  readonly threads: number;
  /** Bytes that a world holds at most beside its instances. */
  readonly heldBytes: number;
  /** Facts that its steps report in addition to success and invalid. */
  readonly facts: readonly OptionalFact[];
  /** What it requires besides npm packages. */
  readonly found: readonly FoundRequirement[];
}

/** A recipe's settings for playing an environment. They override those that the environment declares. */
export type PlaySettings = Omit<EnvironmentSettings, 'name' | 'options'> & {
  /** `rollout.deadlineSeconds`. */
  readonly deadlineSeconds?: number | undefined;
};

const usualSeconds = 60;
/** Longest time to wait for a cleanup. */
const usualCleaningSeconds = 5;
const usualObservationCharacters = 16_384;

/** The thread and the limits for playing an environment. */
export interface WorldPlan {
  readonly thread: 'main' | 'worker';
  readonly workers: number;
  readonly instances: number;
  readonly milliseconds: WorldSettings['milliseconds'];
  readonly observationCharacters: number;
}

/** Combines the settings of a recipe with those that the environment declares. The recipe takes precedence. */
export function planWorld(needs: EnvironmentNeeds, settings: PlaySettings): WorldPlan {
  const { deadlineSeconds, observationCharacters = needs.observationCharacters, seconds = {} } = settings;
  const longest = (phase: EnvironmentPhase): number => {
    const usual = phase === 'dispose' || phase === 'close' ? usualCleaningSeconds : usualSeconds;
    return 1000 * (seconds[phase] ?? deadlineSeconds ?? needs.seconds?.[phase] ?? usual);
  };
  return {
    thread: settings.thread ?? needs.thread ?? 'main',
    workers: settings.workers ?? 1,
    instances: settings.instances ?? needs.instances ?? Infinity,
    milliseconds: Object.fromEntries(
      environmentPhases.map((phase) => [phase, longest(phase)]),
    ) as WorldSettings['milliseconds'],
    observationCharacters: observationCharacters ?? usualObservationCharacters,
  };
}
