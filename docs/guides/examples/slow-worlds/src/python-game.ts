import { fileURLToPath } from 'node:url';

import type { EnvironmentHost, World } from '@agentgym/cli';

import { guessingGame, nextGuess, type Opening, openingOf, type Position, stepResult } from './guessing-game.js';
import { JsonLines } from './json-lines.js';
import type { PythonGameOptions } from './options.js';

const program = fileURLToPath(new URL('../programs/games.py', import.meta.url));

/** A question about one of the games; without anything else it empties the slot. */
type Question = { readonly slot: number } & (Opening | { readonly guess: string } | object);

/** All games of a thread are played by one Python process. */
export async function open({ python }: PythonGameOptions, host: EnvironmentHost): Promise<World> {
  const games = await startPython(python, host);
  await games.ask({ slot: 0 }, host);
  // The contribution says how many are held at once.
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
          position = await games.ask({ slot, guess: action }, call);
          return stepResult(position);
        },
        act: (player, { random }) => nextGuess(player, random, opening, position),
        async dispose() {
          if (!isHeld) return;
          isHeld = false;
          try {
            await games.ask({ slot });
            // Python says that it is empty: a game that hangs keeps its slot for good.
            free.push(slot);
          } catch {
            // Python has ended, and the slot with it.
          }
        },
      };
    },
    close: () => games.end(),
  };
}

async function startPython(python: string, host: EnvironmentHost): Promise<JsonLines<Question, Position>> {
  try {
    // All games are lost with it: the world is down, and nothing more is tried.
    return new JsonLines(await host.spawn(python, [program]), (complaint) =>
      Object.assign(new Error(`Python has ended: ${complaint}`), { code: 'UNAVAILABLE' }),
    );
  } catch (cause) {
    throw new Error(
      `The games are played by Python 3, and there is no ${python}: install it, or say where it is by the option \`python\`.`,
      { cause },
    );
  }
}
