import { testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { afterReset, isSlip, playAs } from './players.js';

it('a player plays by its own name', () => {
  const players = { oracle: () => 'go north', random: () => 'look' };
  expect([playAs('oracle', 'House', players), playAs('random', 'House', players)]).toEqual(['go north', 'look']);
  for (const name of ['wizard', 'toString', '__proto__']) {
    expect(() => playAs(name, 'House', players)).toThrow(`House has no player "${name}"`);
  }
});

it('a demonstrator slips in one turn of four, and takes one number for it', () => {
  const { random } = testHost(1);
  const slips = Array.from({ length: 4000 }, () => isSlip(random)).filter(Boolean).length;
  expect(slips / 4000).toBeCloseTo(0.25, 1.6);
  const [one, other] = [testHost(2).random, testHost(2).random];
  isSlip(one);
  other.uniform();
  expect(one.uniform()).toBe(other.uniform());
});

it('an instance plays nothing before its first reset', () => {
  expect(afterReset('game', 'House')).toBe('game');
  expect(() => afterReset(undefined, 'House')).toThrow('House needs reset() first');
});
