import { PassThrough } from 'node:stream';

import { expect, it } from 'vitest';

import type { PlayerTurn } from '../contracts/player.js';
import { humanPlayer } from './human-player.js';

it('shows the game so far and lets a person go, at a terminal alone', async () => {
  const [input, output] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()];
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const player = humanPlayer(input, output);
  const turn = (observations: string[], texts: string[]) =>
    player.act({ system: 'Rules.', observations, texts } as unknown as PlayerTurn, new AbortController().signal);
  input.write('10\n/help\n20\n/quit\n');
  expect(await turn(['first'], [])).toBe('10');
  expect(await turn(['first', 'second'], ['10'])).toBe('20');
  expect(shown).toMatch(/second\n.*> Rules\.\nfirst\n> 10\nsecond\n/s);
  await expect(turn(['first', 'second', 'third'], ['10', '20'])).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
});

it('asks for each action, keeps what was typed ahead, and says when the game was left', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const player = humanPlayer(input, output);
  const turn = (observations: string[], texts: string[]) =>
    player.act({ system: 'Rules.', observations, texts } as unknown as PlayerTurn, new AbortController().signal);
  input.end('10\n\n');
  expect(await turn(['first \u001b[2J'], [])).toBe('10');
  expect(await turn(['first', 'second'], ['10'])).toBe('');
  // Who pipes too few lines made a mistake; who leaves a terminal did not.
  await expect(turn(['first', 'second', 'third'], ['10', ''])).rejects.toMatchObject({
    code: 'AG_COMMAND_USAGE',
    message: 'Standard input ended after 2 actions, before the end of the game.',
  });
  Object.assign(input, { isTTY: true });
  await expect(turn(['first', 'second', 'third'], ['10', ''])).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
  expect(shown).toBe('Rules.\n\nfirst ␛[2J\n> second\n> third\n> \nthird\n> \n');
});

it('stops waiting when it is interrupted', async () => {
  const interruption = new AbortController();
  const player = humanPlayer(new PassThrough(), new PassThrough().resume());
  const turn = { system: '', observations: ['first'], texts: [] } as unknown as PlayerTurn;
  const waiting = player.act(turn, interruption.signal);
  interruption.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
});
