// Plays one game. Each line of its input is a question:
// `{"id": 1, "low": 4, "high": 9, "seed": 7}` or `{"id": 2, "guess": "6"}`.
import { createInterface } from 'node:readline';

import { Game } from './game.js';

let game;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, guess, ...opening } = JSON.parse(line);
  if (guess === undefined) game = new Game(opening);
  else game.guess(guess);
  console.log(JSON.stringify({ id, answer: game }));
}
