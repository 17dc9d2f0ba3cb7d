import { expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { collectEpisodes } from './collect-episodes.js';
import type { EpisodeCounts } from './episode-counts.js';
import { collectOptions, fluent, keys, modelActor } from './fixtures/collect.js';
import { playInParts } from './play-in-parts.js';

it('counts turns and tokens as they are played, and every episode', async () => {
  const told: EpisodeCounts[] = [];
  const actor = modelActor(fluent(), { maxActionTokens: 2 });
  const options = { ...collectOptions({ actor }), progress: (counts: EpisodeCounts) => void told.push(counts) };
  const episodes = await collectEpisodes(keys(3, 4), options);
  expect(told[0]).toMatchObject({ episodes: 12, played: 0, turns: 0 });
  // The first turns are told before any episode has ended.
  expect(told.find(({ turns }) => turns === 5)).toMatchObject({ played: 0 });
  const completed = episodes.filter((episode) => episode.status === 'completed');
  const turns = completed.flatMap((episode) => episode.turns);
  expect(told.at(-1)).toEqual({
    ...{ episodes: 12, horizon: options.horizon, played: 12, failed: 0 },
    succeeded: completed.filter(({ success }) => success).length,
    turns: turns.length,
    playedTurns: turns.length,
    tokens: turns.reduce((sum, { sampled }) => sum + sampled![1] - sampled![0], 0),
  });
});

// Goes red when every part counts from 0 again.
it('adds up the parts of a long collection', async () => {
  const told: EpisodeCounts[] = [];
  const options = collectOptions({ random: createRandom(2), progress: (counts) => void told.push(counts) });
  const all = keys(1200, 1);
  let turns = 0;
  for await (const part of playInParts(1200, (first, many) => Promise.resolve(all.slice(first, first + many)), options))
    for (const episode of part) turns += episode.turns.length;
  expect(told.every(({ episodes }) => episodes === 1200)).toBe(true);
  expect(told.at(-1)).toMatchObject({ played: 1200, failed: 0, turns, playedTurns: turns });
});
