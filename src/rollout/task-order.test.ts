import { describe, expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { signalSplits } from './fixtures/collect.js';
import { chooseTasks, taskOrder } from './task-order.js';

const { train } = signalSplits(9);
const { train: endless } = signalSplits('unbounded');
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('taskOrder', () => {
  it('goes through every task once a round, each round in another order', async () => {
    const order = taskOrder(train, createRandom(1));
    const rounds = await Promise.all([0, 9, 18].map((first) => order(first, 9)));
    for (const round of rounds) expect(new Set(round).size).toBe(9);
    expect(new Set(rounds.map(String)).size).toBe(3);
  });

  // Law 7. Mutation: draw the rounds one after another from one generator. Places then depend on earlier requests.
  it('is a function of the place alone', async () => {
    const forward = await taskOrder(train, createRandom(1))(0, 30);
    const order = taskOrder(train, createRandom(1));
    for (const place of range(0, 30).reverse()) expect(await order(place, 1)).toEqual([forward[place]]);
    const draws = await taskOrder(endless, createRandom(1))(0, 5);
    expect(await taskOrder(endless, createRandom(1))(3, 1)).toEqual([draws[3]]);
    expect(new Set(draws).size).toBeGreaterThan(3);
  });
});

describe('an order of two million tasks', () => {
  const count = 2_000_000;
  const million = {
    count,
    ids: (places: readonly number[]) => Promise.resolve(places.map(String)),
    draw: endless.draw,
  };

  // Goes red when large splits are sampled: of 2,000,000 draws with replacement, 632,000 different ones are in the first half.
  it('has each task once a round, as a function of the place', async () => {
    const order = taskOrder(million, createRandom(1));
    const round = await order(0, count);
    expect(new Set(round).size).toBe(count);
    const next = await order(count, 1_000);
    expect(next).not.toEqual(round.slice(0, 1_000));
    expect(await taskOrder(million, createRandom(1))(count + 500, 3)).toEqual(next.slice(500, 503));
    expect(await order(7, 2)).toEqual(round.slice(7, 9));
  });
});

describe('chooseTasks', () => {
  it('takes each task at most once, and all of them where no more are there', async () => {
    expect(await chooseTasks(train, 100, createRandom(1))).toEqual(range(0, 9).map((index) => `train-${index}`));
    for (const seed of range(0, 20)) {
      const chosen = await chooseTasks(train, 5, createRandom(seed));
      expect(new Set(chosen).size).toBe(5);
      expect(chosen).toEqual([...chosen].sort());
    }
    expect(await chooseTasks(endless, 12, createRandom(1))).toHaveLength(12);
  });

  it('gives every task the same chance', async () => {
    const counts = new Map<string, number>();
    for (const seed of range(0, 900)) {
      for (const task of await chooseTasks(train, 3, createRandom(seed))) counts.set(task, (counts.get(task) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(Math.abs(count - 300)).toBeLessThan(60);
    expect(counts.size).toBe(9);
  });
});
