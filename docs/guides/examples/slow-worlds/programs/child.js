// Plays one game. Each line of its input is a question:
// `{"id": 1, "low": 4, "high": 9, "seed": 7}` or `{"id": 2, "guess": "6"}`.
import { Game } from './game.js';

let game;
let rest = '';
// `node:readline` would also end a line at U+2028, which an agent may write.
for await (const text of process.stdin.setEncoding('utf8')) {
  rest += text;
  if (!text.includes('\n')) continue;
  const lines = rest.split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, guess, ...opening } = JSON.parse(line);
    if (guess === undefined) game = new Game(opening);
    else game.guess(guess);
    console.log(JSON.stringify({ id, answer: game }));
  }
}
