import { expect, it } from 'vitest';

import { optionSets } from './option-sets.js';

it('tries the defaults, then each option alone at its other choices and ends, within reason', () => {
  const sets = optionSets({
    reply: { type: 'choice', choices: ['side', 'none'], default: 'side', description: '' },
    loud: { type: 'boolean', default: false, description: '' },
    sides: { type: 'integer', minimum: 2, maximum: 1_000_000, default: 6, description: '' },
    share: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, default: 0.5, description: '' },
    depths: { type: 'integers', minimum: 1, maximum: 4, length: 2, default: [1, 2], description: '' },
    name: { type: 'string', default: null, description: '' },
  });
  expect(sets[0]).toEqual({
    options: { reply: 'side', loud: false, sides: 6, share: 0.5, depths: [1, 2], name: null },
  });
  expect(sets.slice(1).map(({ label }) => label)).toEqual([
    'reply: "none"',
    'loud: true',
    'sides: 2',
    'share: 1',
    'depths: [1,1]',
    'depths: [4,4]',
  ]);
  expect(sets[3]?.options).toMatchObject({ reply: 'side', sides: 2 });
});
