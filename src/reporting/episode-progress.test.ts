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
  expect(progress.describe(20_000)).toBe('model: 104 of 200 episodes, 25 solved, 400 turns, 9 s left');
  progress.take({ ...nothing, played: 196, succeeded: 49, failed: 4, turns: 600, playedTurns: 588 }, 30_000);
  expect(progress.describe(30_000)).toBe('model: 200 of 200 episodes, 25.0 % solved, 600 turns');
});

// Goes red when the episodes that end first, which are short and solved, speak for those that run.
it('tells no share of the first episodes that end, and bounds the time of the others by the horizon', () => {
  const progress = new EpisodeProgress('model', 0);
  const side = { ...nothing, horizon: 30 };
  progress.take({ ...side, played: 11, succeeded: 11, turns: 400, playedTurns: 22 }, 10_000);
  // 189 episodes have 378 of at most 5670 turns, and 40 turns are played in a second.
  expect(progress.describe(10_000)).toBe('model: 11 of 200 episodes, 11 solved, 400 turns, at most 2 min 12 s left');
  progress.take({ ...side, played: 120, succeeded: 110, turns: 1000, playedTurns: 360 }, 20_000);
  // The ended ones had three turns, which the others have passed: 80 of them have 640 of at most 2400 turns.
  expect(progress.describe(20_000)).toBe('model: 120 of 200 episodes, 110 solved, 1.0k turns, at most 35 s left');
  progress.take({ ...side, played: 120, succeeded: 110, turns: 1200, playedTurns: 1080 }, 20_000);
  // Nine turns in each, and 80 of them have 120 of 720 turns.
  expect(progress.describe(20_000)).toBe('model: 120 of 200 episodes, 110 solved, 1.2k turns, 10 s left');
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
