import { fileURLToPath } from 'node:url';

import type { EnvironmentHost, World } from '@agentgym/cli';

import {
  guessingGame,
  guessOf,
  nextGuess,
  type Opening,
  openingOf,
  type Position,
  stepResult,
} from './guessing-game.js';

const program = fileURLToPath(new URL('../programs/child.js', import.meta.url));

type Question = Opening | { readonly guess: string };

/** Every instance has a process of its own, which plays its episodes one after the other. */
export function open(_options: object, host: EnvironmentHost): World {
  return {
    ...guessingGame,
    async create() {
      const child = await host.spawnJsonLines<Question, Position>(process.execPath, [program]);
      let opening: Opening;
      let position: Position;
      return {
        async reset(task, call) {
          opening = openingOf(task, call.random);
          position = await child.ask(opening, call);
          return position.observation;
        },
        async step(action, call) {
          position = await child.ask(guessOf(action), call);
          return stepResult(position);
        },
        act: (player, { random }) => nextGuess(player, random, opening, position),
        dispose: () => child.end(),
      };
    },
  };
}
