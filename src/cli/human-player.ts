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
      let answered = false;
      const ended = new Promise<never>((_, reject) => {
        lines.once('close', () => {
          // The prompt stands there still.
          if (!answered) output.write('\n');
          reject(
            new AgentgymError('AG_INTERRUPTED', {
              message: 'The game was left before its end: there is nothing more to read.',
              hint: 'Play it again, or give actions by `--actions FILE`.',
            }),
          );
        });
      });
      try {
        const answer = await Promise.race([lines.question('> ', { signal }), ended]);
        answered = true;
        return answer;
      } finally {
        lines.close();
      }
    },
  };
}
