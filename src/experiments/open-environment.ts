import type { Recipe } from '../config/recipe-schema.js';
import type { EnvironmentNeeds, EnvironmentPhase } from '../contracts/environment.js';
import type { OptionalFact } from '../contracts/facts.js';
import { environmentPhases } from '../rollout/call-clock.js';
import type { EnvironmentPool } from '../rollout/environment-pool.js';
import type { WorldSettings } from '../rollout/local-world.js';
import type { WorldHandle } from '../rollout/world-handle.js';

/** An environment that is ready to be played. */
export interface OpenEnvironment {
  readonly name: string;
  readonly world: WorldHandle;
  /** One pool for everything that plays; dispose of it at the end. */
  readonly pool: EnvironmentPool;
  /** What its steps report beside success and invalid. */
  readonly facts: readonly OptionalFact[];
}

/** How a recipe plays an environment: settings of the recipe override those that the environment declares. */
export type PlaySettings = Omit<Recipe['environment'], 'name' | 'options'> & {
  /** `rollout.deadlineSeconds`. */
  readonly deadlineSeconds?: number;
};

const usualSeconds = 60;
/** How long something may take to clean up before it is left behind. */
const usualCleaningSeconds = 5;
const usualObservationCharacters = 16_384;

/** How an environment is played: where, and under which limits. */
export interface WorldPlan {
  readonly thread: 'main' | 'worker';
  readonly workers: number;
  readonly instances: number;
  readonly milliseconds: WorldSettings['milliseconds'];
  readonly observationCharacters: number;
}

/** The settings of a recipe over those that the environment declares. */
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
