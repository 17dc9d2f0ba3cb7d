import { AgentgymError } from '../errors/agentgym-error.js';
import type { EnvironmentActor } from './actor.js';
import type { WorldHandle } from './world-handle.js';

/** The random baseline, which every environment has. */
export const randomPlayer = 'random';

/** An expert of a world as an actor. Throws AG_NO_EXPERT if the world has no expert with this name. */
export function expertActor({ experts }: Pick<WorldHandle, 'experts'>, expert: string): EnvironmentActor {
  if (expert !== randomPlayer && !experts.includes(expert)) {
    throw new AgentgymError('AG_NO_EXPERT', {
      message: `The environment has no expert "${expert}".`,
      hint: experts.length === 0 ? 'It has no experts at all.' : `It has: ${experts.join(', ')}.`,
    });
  }
  return { kind: 'environment', player: expert };
}
