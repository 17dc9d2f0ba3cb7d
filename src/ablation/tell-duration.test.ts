// When the duration of an ablation is told before it starts. test/cli/ablate.test.ts trains the pilots.
import { expect, it } from 'vitest';

import { builtInHost } from '../experiments/fixtures/built-in-host.js';
import { testHost } from '../testing/test-host.js';
import { pilotShare } from './estimate-cells.js';
import { planAblation } from './plan-ablation.js';
import { tellDuration } from './tell-duration.js';

const host = await builtInHost();
const plan = (what: string, seeds: number, steps: number) =>
  planAblation({
    what,
    recipe: 'quickstart',
    seeds,
    sets: [`stages.sft.steps=${steps}`, `stages.rl.steps=${steps}`],
    cwd: '.',
    runsFolder: 'runs',
    host,
    settings: testHost(),
    yes: true,
  });

// Mutation: train a pilot for every cell.
it('a pilot counts once for cells that differ only in the reward, and once for each algorithm', async () => {
  const rewards = await plan('sparsity', 5, 60);
  expect(rewards.cells).toHaveLength(3);
  expect(pilotShare(rewards.cells, 5)).toBeCloseTo((4 + 4) / (3 * 5 * (60 + 60)));
  const { cells } = await plan('algorithm', 5, 60);
  expect(pilotShare(cells, 5)).toBeCloseTo((4 + 4) / (5 * (60 + 60)));
});

it('a short ablation starts without pilots', async () => {
  const told: string[] = [];
  // An aborted pilot throws.
  await tellDuration(await plan('sparsity', 1, 20), 2, (line) => told.push(line), AbortSignal.abort());
  expect(told).toEqual([]);
  const long = tellDuration(await plan('sparsity', 5, 60), 2, (line) => told.push(line), AbortSignal.abort());
  await expect(long).rejects.toThrow(/abort/);
  expect(told).toHaveLength(1);
});
