import { describe, expect, it } from 'vitest';

import { presetConfig, presets } from './presets.js';

describe('presets', () => {
  it('go from under a hundred thousand parameters to thirty million', () => {
    expect(presets).toEqual([
      { name: 'pico', summary: '82 k parameters: hidden size 64, 2 layers, 4 heads' },
      { name: 'nano', summary: '277 k parameters: hidden size 96, 3 layers, 4 heads' },
      { name: 'micro', summary: '853 k parameters: hidden size 128, 4 layers, 4 heads' },
      { name: 'mini', summary: '4.3 M parameters: hidden size 256, 5 layers, 8 heads' },
      { name: 'medium', summary: '11 M parameters: hidden size 384, 6 layers, 6 heads' },
      { name: 'small', summary: '29 M parameters: hidden size 512, 9 layers, 8 heads' },
    ]);
  });

  it.each(presets)('$name has heads of even width', ({ name }) => {
    const { headWidth, heads, hiddenSize, vocabularySize, maxPositions } = presetConfig(name, 98, 256);
    expect(headWidth % 2).toBe(0);
    expect(headWidth * heads).toBe(hiddenSize);
    expect([vocabularySize, maxPositions]).toEqual([98, 256]);
  });

  it('names what there is where one is unknown', () => {
    expect(() => presetConfig('huge', 98, 256)).toThrow('there is no preset "huge"; available: pico, nano');
  });
});
