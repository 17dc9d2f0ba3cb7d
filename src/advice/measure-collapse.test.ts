import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { journaledRun } from '../runs/fixtures/journaled-run.js';
import { loadRun } from '../runs/load-run.js';
import { fallOf, measureCollapse } from './measure-collapse.js';

const episodes = 64;

/** A log of training with the given success of each step, as it comes out of 64 episodes. */
function logOf(rates: readonly number[], seed = 1) {
  const random = createRandom(seed);
  return rates.map((rate, i) => {
    const solved = Array.from({ length: episodes }, () => Number(random.uniform() < rate)).reduce((a, b) => a + b, 0);
    const metrics = { 'rollout/success': solved / episodes, 'rollout/episodes': episodes };
    return { stage: 'rl', step: i + 1, runStep: i + 3, metrics };
  });
}

const steps = (count: number, rate: number) => Array.from({ length: count }, () => rate);

describe('fallOf', () => {
  it('finds the step of a sudden fall', () => {
    for (const seed of [1, 2, 3]) {
      const fall = fallOf(logOf([...steps(17, 1), ...steps(23, 0.67)], seed));
      expect(fall).toMatchObject({ step: 18, runStep: 20, before: 1 });
      expect(fall!.after).toBeCloseTo(0.67, 1);
    }
  });

  it('finds a fall after the first updates', () => {
    const fall = fallOf(logOf([...steps(2, 0.4), ...steps(20, 0.02)]));
    expect(fall).toMatchObject({ step: 3, before: expect.closeTo(0.4, 1), after: expect.closeTo(0.02, 1) });
  });

  it('finds a fall after a rise', () => {
    const rise = Array.from({ length: 20 }, (_, i) => 0.2 + 0.035 * i);
    const fall = fallOf(logOf([...rise, ...steps(10, 0.9), ...steps(20, 0.3)]));
    expect(fall?.step).toBe(31);
  });

  // Goes red when noise, a dip that passes, or a small change counts as a fall.
  it('finds none where success did not fall for good', () => {
    for (let seed = 0; seed < 40; seed += 1) expect(fallOf(logOf(steps(60, 0.5), seed))).toBeUndefined();
    expect(fallOf(logOf([...steps(20, 0.9), ...steps(5, 0.3), ...steps(20, 0.9)]))).toBeUndefined();
    expect(fallOf(logOf([...steps(30, 1), ...steps(30, 0.95)]))).toBeUndefined();
    expect(fallOf(logOf(steps(4, 1)))).toBeUndefined();
    expect(fallOf([])).toBeUndefined();
  });
});

it('measureCollapse names the checkpoint from before the fall, and the other seeds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-collapse-'));
  const make = async (seed: number, rates: readonly number[]) => {
    const run = await journaledRun(folder, { seed });
    const file = join(run, 'metrics.jsonl');
    const [sft = ''] = readFileSync(file, 'utf8').split(/^(?=.*"stage":"rl")/m);
    writeFileSync(file, sft);
    // The run has checkpoints of its first four steps; two of these are of reinforcement learning.
    for (const { metrics, ...place } of logOf(rates))
      appendFileSync(file, `${JSON.stringify({ ...place, ...metrics })}\n`);
    return run;
  };
  const fallen = await make(1, [...steps(10, 1), ...steps(10, 0.5)]);
  await make(2, steps(20, 0.9));
  await make(3, [...steps(10, 1), ...steps(10, 0.5)]);
  const [noManifest, noLog] = [await make(5, steps(20, 0.9)), await make(6, steps(20, 0.9))];
  writeFileSync(join(noManifest, 'manifest.json'), '{');
  writeFileSync(join(noLog, 'metrics.jsonl'), 'null\n');
  const found = await measureCollapse(await loadRun(fallen));
  expect(found).toMatchObject({ step: 11, runStep: 13, checkpoint: { step: 4 }, seeds: { fell: [3], held: [2] } });
  expect(found?.leftOut).toEqual([
    { directory: noManifest, reason: expect.stringContaining('its manifest.json cannot be read') as string },
    { directory: noLog, reason: expect.stringContaining('Line 1 of') as string },
  ]);
  expect(await measureCollapse(await loadRun(await make(4, steps(20, 0.9))))).toBeUndefined();
});
