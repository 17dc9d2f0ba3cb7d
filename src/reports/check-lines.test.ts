import { expect, it } from 'vitest';

import { checkLines, costLines } from './check-lines.js';

const checked = {
  ...{ recipe: 'tiny', stages: [], steps: 5, plugins: [], requirements: [], sampler: null, external: [] },
  memory: { needed: 1e9, total: 4e9, available: 2e9, parts: {} },
  tasks: { train: 4, validation: 1, test: 1 },
};
const modelLine = (parameters: number | null, frozenParameters = 0) =>
  checkLines({ ...checked, parameters, frozenParameters }).find((line) => line.startsWith('model'));

it('tells what is trained, and of how large a model', () => {
  expect(modelLine(88_000)).toBe('model: up to 88.0k parameters');
  expect(modelLine(4_900_000, 134_500_000)).toBe('model: 4.9M of 139M parameters are trained');
  expect(modelLine(null)).toBe('model: unknown to its plugin');
});

const seconds = { total: 340, preparation: 4.2, supervised: 20, reinforcement: 226, evaluations: 89.8 };
const trial = { steps: 2, seconds, peakBytes: 0.7e9 };

it('tells the time and the memory of a run from the steps that were tried', () => {
  expect(costLines(checked, trial)).toEqual([
    'time: about 5 min 40 s (preparation 4 s, supervised 20 s, reinforcement learning 3 min 46 s, evaluations 1 min 30 s), from 2 steps of each stage that were tried',
    'memory: about 700 MB were used in these steps; a whole run takes at most 1.0 GB, and 2.0 GB are available; `agentgym doctor --recipe` lists the parts',
  ]);
  const onlySft = { ...trial, seconds: { ...seconds, reinforcement: 0 } };
  expect(costLines(checked, onlySft)[0]).not.toContain('reinforcement');
});

it('does not call memory the most that is expected if the steps took more', () => {
  const [, memory] = costLines(checked, { ...trial, peakBytes: 1.3e9 });
  expect(memory).toMatch(
    /^memory: about 1\.3 GB were used in these steps, more than the 1\.0 GB that a whole run should take; 2\.0 GB /,
  );
  const [, unknown] = costLines(checked, { ...trial, peakBytes: null });
  expect(unknown).toMatch(/^memory: at most 1\.0 GB, and 2\.0 GB are available; /);
});

it('tells why nothing was tried, and nothing of it if nobody asked', () => {
  const external = ['the policy is on a server', 'the tool search is external'];
  expect(costLines({ ...checked, external }, null)).toEqual([
    'time: not tried: the policy is on a server; the tool search is external',
    expect.stringMatching(/^memory: at most 1\.0 GB, and/),
  ]);
  expect(costLines(checked, undefined)).toEqual([expect.stringMatching(/^memory: at most 1\.0 GB, and/)]);
});
