import { fileURLToPath } from 'node:url';

import type { EnvironmentHost, JsonLinesProcess, World } from '@agentgym/cli';

import {
  guessingGame,
  guessOf,
  nextGuess,
  type Opening,
  openingOf,
  type Position,
  stepResult,
} from './guessing-game.js';
import type { PythonGameOptions } from './options.js';

const program = fileURLToPath(new URL('../programs/games.py', import.meta.url));

/** A question about one of the games; without anything else it empties the slot. */
type Question = { readonly slot: number } & (Opening | { readonly guess: string } | object);

/** All games of a thread are played by one Python process. */
export async function open({ python }: PythonGameOptions, host: EnvironmentHost): Promise<World> {
  const games = await startPython(python, host);
  await games.ask({ slot: 0 }, host);
  const free: number[] = [];
  let slots = 0;

  return {
    ...guessingGame,
    create() {
      const slot = free.pop() ?? slots++;
      let isHeld = true;
      let opening: Opening;
      let position: Position;
      return {
        async reset(task, call) {
          opening = openingOf(task, call.random);
          position = await games.ask({ slot, ...opening }, call);
          return position.observation;
        },
        async step(action, call) {
          position = await games.ask({ slot, ...guessOf(action) }, call);
          return stepResult(position);
        },
        act: (player, { random }) => nextGuess(player, random, opening, position),
        async dispose() {
          if (!isHeld) return;
          isHeld = false;
          try {
            await games.ask({ slot });
            // Python answers when the slot is empty. A game that hangs never gives its slot back.
            free.push(slot);
          } catch {
            // Python has ended, or the game hangs.
          }
        },
      };
    },
    close: () => games.end(),
  };
}

async function startPython(python: string, host: EnvironmentHost): Promise<JsonLinesProcess<Question, Position>> {
  try {
    // All games are lost with the process, so its end is the end of the world.
    return await host.spawnJsonLines(python, [program], { shared: true });
  } catch (cause) {
    throw new Error(
      `Python 3 plays the games, and there is no program ${python}: install it, or set the option \`python\`.`,
      { cause },
    );
  }
}
