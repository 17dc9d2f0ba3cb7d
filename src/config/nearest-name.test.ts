import { describe, expect, it } from 'vitest';

import { nearestHint, nearestName } from './nearest-name.js';

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

describe('the hint about a name', () => {
  const names = ['textcraft', 'textworld-cooking', 'textworld-simple'];

  it('lists all names that add words to it', () => {
    expect(nearestHint('textworld', names, 'none')).toBe('Did you mean `textworld-cooking`, `textworld-simple`?');
  });

  it('has the nearest name otherwise', () => {
    expect(nearestHint('textworld-simpel', names, 'none')).toBe('Did you mean `textworld-simple`?');
    expect(nearestHint('textworl', names.slice(0, 2), 'none')).toBe('Did you mean `textworld-cooking`?');
    expect(nearestHint('banana', names, 'none')).toBe('none');
  });
});
