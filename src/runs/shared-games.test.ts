import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { expect, it } from 'vitest';

import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { type GameCollection, shareGames } from './shared-games.js';

const collection: GameCollection = {
  header: {
    formatVersion: 1,
    document: 'demonstrations',
    environment: { name: 'signals', package: 'test', version: '1.0.0', options: {} },
    split: 'train',
    player: 'oracle',
    horizon: 6,
    seed: 3,
    filter: 'success',
  },
  stream: ['demonstrations', 'sft'],
  settings: {},
};
const { signal } = new AbortController();
const game = (place: number): DemonstratedEpisode => ({
  task: `task-${place}`,
  turns: [{ observation: 'o', action: `${place}` }],
});

/** Every third game is lost, and takes a while. */
function player() {
  const played: number[] = [];
  const play = async (first: number, count: number) => {
    await setTimeout(50);
    const places = Array.from({ length: count }, (_, index) => first + index);
    played.push(...places);
    const outcomes = places.map((place) => (place % 3 === 0 ? ('left out' as const) : ('kept' as const)));
    return { episodes: places.filter((place) => place % 3 !== 0).map(game), outcomes };
  };
  return { played, play };
}

// Mutations: leave out the lock; slice episodes by the places of games.
it('plays each game once, whoever asks for it first, and gives every part of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-games-'));
  const { played, play } = player();
  const ask = (first: number, count: number) => shareGames(folder, collection, { first, count }, play, signal);
  const asked = await Promise.all([ask(0, 7), ask(0, 7), ask(2, 6), ask(0, 3)]);
  expect(played.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(asked.map(({ episodes }) => episodes.map(({ task }) => task?.slice(-1)).join(''))).toEqual([
    '1245',
    '1245',
    '2457',
    '12',
  ]);
  expect(asked[2]!.outcomes).toEqual(['kept', 'left out', 'kept', 'kept', 'left out', 'kept']);
  const [only, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(readdirSync(join(folder, only!)).sort()).toEqual(['8-games.jsonl', 'games.json']);
});

it('frees the folder when the games fail, and waits no longer when it is interrupted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-games-'));
  const { played, play } = player();
  const broken = () => Promise.reject(new Error('no world'));
  await expect(shareGames(folder, collection, { first: 0, count: 2 }, broken, signal)).rejects.toThrow('no world');
  const controller = new AbortController();
  const slow = shareGames(folder, collection, { first: 0, count: 2 }, play, signal);
  const waiting = shareGames(folder, collection, { first: 0, count: 2 }, play, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
  await slow;
  expect(played).toEqual([0, 1]);
});
