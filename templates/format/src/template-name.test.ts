import { describe, expect, it } from 'vitest';

import { validate } from './options.js';
import { create } from './template-name.js';

describe('template-name', () => {
  const format = create({ arrow: '->' });

  it('takes what follows the last arrow for the action', () => {
    expect(format.parse('left -> or right -> right ')).toEqual({ action: 'right' });
  });

  it('answers a text without an action', () => {
    for (const text of ['', 'left', 'left ->', '->  ']) {
      expect(format.parse(text), text).toEqual({
        malformed: 'no action after an arrow',
        observation: 'Write -> and your action.',
      });
    }
  });

  it('writes what it reads, and refuses an action that it cannot write', () => {
    expect(format.parse(format.render('go north'))).toEqual({ action: 'go north' });
    expect(() => format.render('a -> b')).toThrow('an action cannot contain ->');
  });

  it('refuses an arrow that cannot be found again', () => {
    expect(validate({ arrow: '=>' })).toEqual([]);
    for (const arrow of ['', ' ', '-> ']) expect(validate({ arrow })).toMatchObject([{ path: ['arrow'] }]);
  });
});
