import type { EnvironmentActor } from '../rollout/actor.js';
import type { OpenEnvironment } from './open-environment.js';

/** Names under which results tell of players that cannot learn. */
export type BaselineName = 'random' | 'oracle' | 'demonstrator';

/** The random player, and the experts there are: one that is missing is absent from results, never zero. */
export function baselinePlayers({
  world,
}: OpenEnvironment): readonly (EnvironmentActor & { readonly player: BaselineName })[] {
  const experts = (['oracle', 'demonstrator'] as const).filter((name) => world.experts.includes(name));
  return (['random', ...experts] as const).map((player) => ({ kind: 'environment', player }));
}
