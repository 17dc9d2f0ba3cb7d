import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { GuessNumber, open } from './guess-number.js';
import { type Options, validate } from './options.js';
import { aboutTask, dealTasks } from './tasks.js';

const defaults: Options = {
  lowest: 1,
  highest: 50,
  width: [20, 31],
  turns: null,
  reply: 'interval',
  answer: 'number',
  instructions: 'rule',
  splitBy: 'interval',
};

function play(environment: GuessNumber, task: string, act: () => string): { success: boolean; turns: number } {
  environment.reset(task);
  for (let turns = 1; ; turns += 1) {
    const { terminated, facts } = environment.step(act());
    if (terminated) return { success: facts.success, turns };
  }
}

describe('guess-number', () => {
  it('answers as the rules say', () => {
    const game = new GuessNumber(defaults);
    expect(game.reset('4-33/17')).toBe('Guess my number between 4 and 33. You have 5 turns.');
    expect(game.step('10')).toMatchObject({
      observation: 'higher, 11 to 33',
      terminated: false,
      facts: { success: false, invalid: false },
    });
    expect(game.step('18').observation).toBe('lower, 11 to 17');
    // A guess outside the remaining interval gets a true answer, but does not narrow the interval.
    expect(game.step('5').observation).toBe('higher, 11 to 17');
    expect(game.step('34')).toMatchObject({ observation: 'invalid', facts: { invalid: true } });
    expect(game.step('17')).toMatchObject({
      observation: 'correct',
      reward: 1,
      terminated: true,
      facts: { success: true, progress: 1 },
    });
  });

  it('ends when the turns of the prompt are used up', () => {
    const game = new GuessNumber({ ...defaults, turns: 2 });
    game.reset('4-33/17');
    expect(game.step('4').terminated).toBe(false);
    expect(game.step('5')).toMatchObject({ terminated: true, truncated: false, reward: 0, facts: { success: false } });
  });

  it('takes only whole numbers written in digits', () => {
    const game = new GuessNumber({ ...defaults, turns: 20 });
    game.reset('4-33/17');
    for (const text of [
      '',
      ' 17',
      '17.0',
      '+17',
      '0x11',
      'seventeen',
      '17 17',
      '1e1',
      '\u0661\u0667',
      '9'.repeat(400),
    ]) {
      expect(game.step(text).facts.invalid, JSON.stringify(text)).toBe(true);
    }
  });

  it('counts the halvings of the interval as milestones, and all of them at the right number', () => {
    const game = new GuessNumber({ ...defaults, turns: 20 });
    const reached = (action: string) => game.step(action).facts.milestones;
    game.reset('4-33/17');
    // Of 30 numbers, 24, 14, 8, 4, 2 and 1 remain in turn. Goes red when bits are rounded to the nearest integer, not
    // down.
    expect(reached('9')).toEqual({ reached: 0, total: 4 });
    expect(reached('24')).toEqual({ reached: 1, total: 4 });
    expect(reached('4')).toEqual({ reached: 1, total: 4 });
    expect(reached('abc')).toEqual({ reached: 1, total: 4 });
    expect(reached('15')).toEqual({ reached: 1, total: 4 });
    expect(reached('20')).toEqual({ reached: 2, total: 4 });
    expect(reached('18')).toEqual({ reached: 3, total: 4 });
    expect(reached('16')).toEqual({ reached: 4, total: 4 });
    expect(reached('17')).toEqual({ reached: 4, total: 4 });
    game.reset('4-33/17');
    expect(reached('17')).toEqual({ reached: 4, total: 4 });
    // For powers of two, a computed logarithm could be slightly below the integer.
    for (const bits of [1, 3, 29, 30]) {
      game.reset(`1-${2 ** bits}/1`);
      expect(reached('2')).toEqual({ reached: bits, total: bits });
    }
  });

  it('keeps its reply short where only the direction is told', () => {
    const game = new GuessNumber({ ...defaults, reply: 'direction' });
    game.reset('4-33/17');
    expect(game.step('10').observation).toBe('higher');
  });

  it('reads the guess behind the working, right or wrong, and nothing else', () => {
    const game = new GuessNumber({ ...defaults, reply: 'direction', answer: 'working', turns: 20 });
    const { random } = testHost();
    game.reset('4-33/17');
    expect(game.act('oracle', { random })).toBe('from 4 to 33, 30 left, guess 18');
    expect(game.step('from 4 to 33, 30 left, guess 18').observation).toBe('lower');
    expect(game.act('oracle', { random })).toBe('from 4 to 17, 14 left, guess 10');
    // Goes red when the environment corrects what the agent should remember.
    expect(game.step('from 1 to 99, 7 left, guess 10')).toMatchObject({
      observation: 'higher',
      facts: { invalid: false },
    });
    for (const text of [
      '11',
      'guess 11',
      'from 11 to 17, guess 11',
      'from 11 to 17, 7 left, guess 11.',
      'from a to b, 7 left, guess 11',
    ]) {
      expect(game.step(text).facts.invalid, text).toBe(true);
    }
    expect(game.admissible()).toContain('from 11 to 17, 7 left, guess 33');
    expect(game.step('from 11 to 17, 7 left, guess 17').facts.success).toBe(true);
  });

  it('tells its rule as the options make it, and can leave it out', () => {
    const told = (options: Partial<Options>) => open({ ...defaults, ...options }).instructions;
    expect(told({})).toBe(
      'Guess a hidden number.\nEach turn, write one action: a whole number, in digits.\nThe reply says whether the hidden number is higher or lower, and between which numbers it is.',
    );
    const working = told({ answer: 'working', reply: 'direction' });
    expect(working).toContain('from 4 to 33, 30 left, guess 18');
    expect(working).not.toContain('between');
    expect(told({ instructions: 'none' })).toBe('');
  });

  it('is always won by bisection, with nothing to spare', () => {
    const game = new GuessNumber(defaults);
    const { test } = dealTasks(defaults);
    const { random } = testHost();
    let longest = 0;
    for (let index = 0; index < test.count; index += 1) {
      const { success, turns } = play(game, test.id(index), () => game.act('oracle', { random }));
      expect(success).toBe(true);
      longest = Math.max(longest, turns);
    }
    expect(longest).toBe(5);
  });

  it('has a demonstrator that wins about 62 of 100 games and a random player that wins about 18', () => {
    const game = new GuessNumber(defaults);
    const { train } = dealTasks(defaults);
    const random = testHost(1).random;
    const rate = (act: () => string) => {
      let won = 0;
      for (let i = 0; i < 4000; i += 1) won += Number(play(game, train.random(random), act).success);
      return won / 4000;
    };
    expect(rate(() => game.act('demonstrator', { random }))).toBeCloseTo(0.62, 1);
    expect(rate(() => game.act('random', { random }))).toBeCloseTo(0.18, 1);
  });

  it('holds out a fifth of the intervals twice, with all their numbers', () => {
    const { train, validation, test } = dealTasks(defaults);
    const intervals = [train, validation, test].map(
      (split) => new Set(Array.from({ length: split.count }, (_, index) => aboutTask(split.id(index)).cluster)),
    );
    expect(intervals.map((set) => set.size)).toEqual([184, 61, 61]);
    expect(new Set(intervals.flatMap((set) => [...set])).size).toBe(306);
  });

  it('can hold out single numbers where there is one interval only', () => {
    const gemHard: Options = { ...defaults, width: [50, 50], turns: 7, splitBy: 'task' };
    expect(validate(gemHard)).toEqual([]);
    const { train, validation, test } = dealTasks(gemHard);
    expect([train.count, validation.count, test.count]).toEqual([30, 10, 10]);
    expect(validate({ ...gemHard, splitBy: 'interval' })).toMatchObject([{ path: ['splitBy'] }]);
    expect([gemHard, defaults].map((options) => open(options).sharesClusters)).toEqual([true, false]);
  });

  it('tells how wide the interval of a game is', () => {
    expect(aboutTask('4-33/17')).toEqual({ cluster: '4-33', labels: { width: 30 }, references: ['17'] });
    expect(() => aboutTask('4-33/40')).toThrow(/not a task of guess-number/);
  });

  it('refuses widths that do not fit, and tasks that are none', () => {
    expect(validate({ ...defaults, width: [31, 20] })).toMatchObject([{ path: ['width'], hint: 'Write [20, 31].' }]);
    expect(validate({ ...defaults, width: [20, 51] })).toMatchObject([{ path: ['width'] }]);
    expect(() => new GuessNumber(defaults).reset('4-33/40')).toThrow(/not a task of guess-number/);
  });
});
