import { describe, expect, it } from 'vitest';

import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it('finds the name that was meant', () => {
    expect(nearestName('grupSize', ['name', 'groupSize', 'epochs'])).toBe('groupSize');
    expect(nearestName('textcrfat', ['textcraft', 'guess-number'])).toBe('textcraft');
    expect(nearestName('guess', ['textcraft', 'guess-number'])).toBe('guess-number');
    expect(nearestName('TextCraft', ['textcraft'])).toBe('textcraft');
  });

  it('suggests nothing where nothing is near', () => {
    expect(nearestName('banana', ['textcraft', 'guess-number'])).toBeUndefined();
    expect(nearestName('seed', ['steps'])).toBeUndefined();
    expect(nearestName('x', [])).toBeUndefined();
  });
});
