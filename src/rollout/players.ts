import { AgentgymError } from '../errors/agentgym-error.js';
import type { Player } from '../contracts/player.js';

/** Plays what the environment calls a random action. */
export const randomPlayer: Player = {
  name: 'random',
  act: ({ environment, random }) => environment.sampleAction(random),
};

/** Plays one of the environment's experts. Acting throws AG_NO_EXPERT where the environment has none of that name. */
export function expertPlayer(expert: string): Player {
  return {
    name: expert,
    act({ environment, random }) {
      const act = environment.experts?.[expert];
      if (act === undefined) {
        const names = Object.keys(environment.experts ?? {});
        throw new AgentgymError('AG_NO_EXPERT', {
          message: `The environment has no expert "${expert}".`,
          hint: names.length === 0 ? 'It has no experts at all.' : `It has: ${names.join(', ')}.`,
        });
      }
      return act(random);
    },
  };
}
