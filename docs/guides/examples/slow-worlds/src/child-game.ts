import { fileURLToPath } from 'node:url';

import type { Call, EnvironmentHost, World } from '@agentgym/cli';

import { guessingGame, nextGuess, type Opening, openingOf, type Position, stepResult } from './guessing-game.js';
import { JsonLines } from './json-lines.js';

const program = fileURLToPath(new URL('../programs/child.js', import.meta.url));

type Question = Opening | { readonly guess: string };

/** Every episode is played by a process of its own. */
export function open(_options: object, host: EnvironmentHost): World {
  return {
    ...guessingGame,
    create() {
      let child: JsonLines<Question, Position> | undefined;
      let opening: Opening;
      let position: Position;
      let isDisposed = false;

      async function end(): Promise<void> {
        const ended = child?.end();
        child = undefined;
        await ended;
      }

      async function ask(question: Question, call: Call): Promise<Position> {
        if (child === undefined) throw new Error('there is no game: it has ended');
        try {
          position = await child.ask(question, call);
        } catch (error) {
          // It broke, or its time is up and it is still thinking.
          await end();
          throw error;
        }
        // An episode that is over needs no process while others are played.
        if (position.over) await end();
        return position;
      }

      return {
        async reset(task, call) {
          opening = openingOf(task, call.random);
          await end();
          const started = await host.spawn(process.execPath, [program]);
          child = new JsonLines(started, (complaint) => new Error(`the game broke: ${complaint}`));
          // While it started.
          if (isDisposed) await end();
          return (await ask(opening, call)).observation;
        },
        step: async (action, call) => stepResult(await ask({ guess: action }, call)),
        act: (player, { random }) => nextGuess(player, random, opening, position),
        dispose() {
          isDisposed = true;
          return end();
        },
      };
    },
  };
}
