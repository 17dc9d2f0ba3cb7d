import { setTimeout } from 'node:timers/promises';

import { expect, it } from 'vitest';

import type { EpisodeCounts } from '../rollout/episode-counts.js';
import { EpisodeProgress, tickEpisodes } from './episode-progress.js';

const nothing: EpisodeCounts = {
  ...{ episodes: 200, horizon: 5, played: 0, succeeded: 0, failed: 0 },
  ...{ turns: 0, playedTurns: 0, tokens: 0 },
};

it('tells turns and tokens before an episode ends, and then the success and the time left', () => {
  const progress = new EpisodeProgress('model', 0);
  expect(progress.describe(12_000)).toBe('model, 12 s so far');
  progress.take(nothing, 0);
  expect(progress.describe(10_000)).toBe('model: 0 of 200 episodes, no turn yet after 10 s');
  progress.take({ ...nothing, turns: 200, tokens: 850 }, 10_000);
  // 800 of at most 1000 turns remain, and 20 are played in a second.
  expect(progress.describe(10_000)).toBe('model: 0 of 200 episodes, 200 turns, 85 tokens/s, at most 40 s left');
  // The next turns come together; until then, only time passes.
  expect(progress.describe(15_000)).toBe('model: 0 of 200 episodes, 200 turns, 85 tokens/s, at most 35 s left');
  progress.take({ ...nothing, played: 100, succeeded: 25, failed: 4, turns: 400, playedTurns: 300 }, 20_000);
  // Three turns in each of 196 episodes, 188 turns after the 400 so far.
  expect(progress.describe(20_000)).toBe('model: 104 of 200 episodes, 25.0 % solved, 400 turns, 9 s left');
});

// Goes red when only an event can print a line: one call of a model may take longer than any wait.
it('tells something although nothing happens', async () => {
  const lines: string[] = [];
  const ticker = tickEpisodes((line) => lines.push(line), 0.02);
  ticker.begin('opening');
  await setTimeout(60);
  ticker.begin('model');
  ticker.take(nothing);
  await setTimeout(60);
  ticker.close();
  const { length } = lines;
  expect(lines[0]).toMatch(/^opening, 0 s so far/);
  expect(lines.at(-1)).toMatch(/^model: 0 of 200 episodes, no turn yet/);
  await setTimeout(60);
  expect(lines).toHaveLength(length);
});
