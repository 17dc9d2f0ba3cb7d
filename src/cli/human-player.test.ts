import { PassThrough } from 'node:stream';

import { expect, it } from 'vitest';

import type { PlayerTurn } from '../contracts/player.js';
import { humanPlayer } from './human-player.js';

const admissible = () => Promise.resolve<readonly string[] | undefined>(['10', '20']);

/** A person with typed input, and all output so far. */
function seat(isTTY: boolean) {
  const [input, output] = [Object.assign(new PassThrough(), isTTY && { isTTY }), new PassThrough()];
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const player = humanPlayer(input, output);
  const turn = (observations: string[], texts: string[], more: Partial<PlayerTurn> = {}) =>
    player.act(
      { task: 'a-task', system: 'Rules.', observations, texts, admissible, ...more } as unknown as PlayerTurn,
      new AbortController().signal,
    );
  return { input, turn, shown: () => shown };
}

it('shows the game so far and lets a person go, at a terminal alone', async () => {
  const { input, turn, shown } = seat(true);
  input.write('10\n/help\n20\n/quit\n');
  expect(await turn(['first'], [])).toBe('10');
  expect(await turn(['first', 'second'], ['10'])).toBe('20');
  expect(shown()).toMatch(
    /^Task a-task\n.*first\nlegal: 10, 20\n.*second\n.*> \/help\nRules\.\nfirst\n> 10\nsecond\n\(\/help shows/s,
  );
  await expect(turn(['first', 'second', 'third'], ['10', '20'])).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
});

it('explains its commands instead of playing one that it does not have', async () => {
  const { input, turn, shown } = seat(true);
  input.write('/exit\n10\n');
  expect(await turn(['first'], [])).toBe('10');
  expect(shown().match(/\/quit leaves/g)).toHaveLength(2);
  // An environment without a list of legal actions may have actions that begin so.
  input.write('/exit\n');
  expect(await turn(['first', 'second'], ['10'], { admissible: () => Promise.resolve(undefined) })).toBe('/exit');
});

it('offers the legal actions in a line, or by a command where they are many', async () => {
  const { input, turn, shown } = seat(true);
  const many = Array.from({ length: 100 }, (_, place) => `go ${place}`);
  const ask = (listed: PlayerTurn['admissible']) => turn(['now'], [], { system: '', admissible: listed });
  input.write('/actions\ngo 1\n/actions\nx\n');
  expect(await ask(() => Promise.resolve(many))).toBe('go 1');
  expect(shown()).toMatch(/now\nlegal: 100 actions; \/actions lists them\n> (\/actions\n)?go 0\ngo 1\n.*go 99\n/s);
  expect(await ask(() => Promise.resolve(undefined))).toBe('x');
  expect(shown()).toMatch(/This environment does not list its legal actions\.\n> (x\n)?$/);
});

it('asks for each action, keeps what was typed ahead, and says when the game was left', async () => {
  const { input, turn, shown } = seat(false);
  input.end('10\n\n');
  expect(await turn(['first \u001b[2J'], [])).toBe('10');
  expect(await turn(['first', 'second'], ['10'])).toBe('');
  // Too few piped lines are an error; leaving a terminal is not.
  await expect(turn(['first', 'second', 'third'], ['10', ''])).rejects.toMatchObject({
    code: 'AG_COMMAND_USAGE',
    message: 'Standard input ended after 2 actions, before the end of the game.',
  });
  Object.assign(input, { isTTY: true });
  await expect(turn(['first', 'second', 'third'], ['10', ''])).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
  expect(shown()).toBe('Task a-task\n\nRules.\n\nfirst ␛[2J\n> second\n> third\n> \nthird\nlegal: 10, 20\n> \n');
});

it('stops waiting when it is interrupted', async () => {
  const interruption = new AbortController();
  const player = humanPlayer(new PassThrough(), new PassThrough().resume());
  const turn = { task: 'a-task', system: '', observations: ['first'], texts: [], admissible } as unknown as PlayerTurn;
  const waiting = player.act(turn, interruption.signal);
  interruption.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
});

// Goes red on Node 22 and later when a reader is asked to prompt after its input has ended.
it('plays what a person typed ahead to its end, and knows who left', async () => {
  for (const [typed, isTTY] of [
    ['10\n20\n', true],
    ['10\n20\n', false],
  ] as const) {
    const { input, turn } = seat(isTTY);
    input.end(typed);
    await new Promise((ended) => setTimeout(ended, 50));
    expect(await turn(['first'], [])).toBe('10');
    await new Promise((ended) => setTimeout(ended, 50));
    expect(await turn(['first', 'second'], ['10'])).toBe('20');
    await expect(turn(['first', 'second', 'third'], ['10', '20'])).rejects.toMatchObject({
      code: isTTY ? 'AG_INTERRUPTED' : 'AG_COMMAND_USAGE',
    });
  }
});

it('reads a pipe no further than it plays', async () => {
  const { input, turn } = seat(false);
  input.write('10\n20\n');
  expect(await turn(['first'], [])).toBe('10');
  expect(input.isPaused()).toBe(true);
  expect(await turn(['first', 'second'], ['10'])).toBe('20');
});

it('does not list actions that the observation lists, and wraps at words', async () => {
  const { input, turn, shown } = seat(true);
  input.write('10\n');
  await turn(['say 10 or 20'], [], { system: '' });
  expect(shown()).not.toContain('legal:');
  const output = Object.assign(new PassThrough(), { columns: 12 });
  let wrapped = '';
  output.setEncoding('utf8').on('data', (text: string) => (wrapped += text));
  const other = Object.assign(new PassThrough(), { isTTY: true });
  const narrow = humanPlayer(other, output);
  other.write('20\n');
  const words = { task: 'a', system: '', observations: ['  a map\nlonger than twelve'], texts: [], admissible };
  await narrow.act(words as unknown as PlayerTurn, new AbortController().signal);
  expect(wrapped).toContain('  a map\nlonger than\ntwelve\n');
});
