import { createInterface } from 'node:readline/promises';

import type { Player } from '../contracts/player.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** A person at the terminal: shown each observation, asked for each action. Prompts go to standard error, so that `--json` stays clean. */
export function humanPlayer(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Player {
  return {
    name: 'human',
    async act({ system, observations, texts }, signal) {
      if (texts.length === 0 && system !== '') output.write(`${system}\n\n`);
      output.write(`${observations.at(-1) ?? ''}\n`);
      const lines = createInterface({ input, output });
      const ended = new Promise<never>((_, reject) => {
        lines.once('close', () =>
          reject(
            new AgentgymError('AG_INTERRUPTED', {
              message: 'There is nothing more to read.',
              hint: 'Give actions by `--actions FILE`.',
            }),
          ),
        );
      });
      try {
        return await Promise.race([lines.question('> ', { signal }), ended]);
      } finally {
        lines.close();
      }
    },
  };
}
