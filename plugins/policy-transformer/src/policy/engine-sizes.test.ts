import { expect, it } from 'vitest';

import { presetConfig } from '../presets/presets.js';
import { coresOf } from './engine-sizes.js';

const config = presetConfig('mini', 300, 128);
const sizeOf = (vocabularySize: number) => coresOf({ threads: 3, engine: 'native' }, { ...config, vocabularySize });

it.each([
  { millions: 1, cores: { count: 3, sessionThreads: 1, layered: false, returnsMemory: false } },
  { millions: 120, cores: { count: 1, sessionThreads: 3, layered: true, returnsMemory: false } },
  { millions: 500, cores: { count: 1, sessionThreads: 3, layered: true, returnsMemory: true } },
])('computes a model with an embedding of $millions million parameters as its size allows', ({ millions, cores }) => {
  expect(sizeOf((millions * 1e6) / config.hiddenSize)).toEqual(cores);
});

it('computes a large model on a GPU in one piece', () => {
  const large = { ...config, vocabularySize: 5e8 / config.hiddenSize };
  const cores = { count: 1, sessionThreads: 3, layered: false, returnsMemory: false };
  expect(coresOf({ threads: 3, engine: 'cuda' }, large)).toEqual(cores);
});
