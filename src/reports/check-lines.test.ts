import { expect, it } from 'vitest';

import { checkLines } from './check-lines.js';

const checked = {
  ...{ recipe: 'tiny', stages: [], steps: 5, plugins: [], sampler: null },
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
