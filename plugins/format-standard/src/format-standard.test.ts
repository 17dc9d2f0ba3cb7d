import { describe, expect, it } from 'vitest';

import { create } from './plain.js';

describe('plain', () => {
  const plain = create({ maxCharacters: 20 });

  it('takes the text as the action', () => {
    expect(plain.parse(' go north \n')).toEqual({ action: 'go north' });
    expect(plain.parse('')).toEqual({ action: '' });
    expect(plain.parse(plain.render('get 2 oak planks'))).toEqual({ action: 'get 2 oak planks' });
  });

  it('keeps an endless text from the environment', () => {
    expect(plain.parse('x'.repeat(20))).toEqual({ action: 'x'.repeat(20) });
    expect(plain.parse('x'.repeat(21))).toMatchObject({ malformed: '21 characters, more than 20' });
  });
});
