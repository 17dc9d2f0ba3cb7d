import type { EnvironmentActor } from '../rollout/actor.js';
import type { OpenEnvironment } from './open-environment.js';

/** Names that results use for players that cannot learn. */
export type BaselineName = 'random' | 'oracle' | 'demonstrator';

/** The random player and the available experts. A missing expert is absent from results, never 0. */
export function baselinePlayers({
  world,
}: OpenEnvironment): readonly (EnvironmentActor & { readonly player: BaselineName })[] {
  const experts = (['oracle', 'demonstrator'] as const).filter((name) => world.experts.includes(name));
  return (['random', ...experts] as const).map((player) => ({ kind: 'environment', player }));
}
