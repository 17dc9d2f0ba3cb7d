import { describe, expect, it } from 'vitest';

import { isSelfExplanatory, shownSetting, shownValue, shownValues } from './shown-values.js';

describe('shownValue', () => {
  it('names lists of contributions by their names and by weights other than 1', () => {
    const terms = [
      { name: 'dense', weight: 0.5, options: {} },
      { name: 'format', weight: 1, options: {} },
    ];
    expect(shownValue(terms)).toBe('dense 0.5 + format');
    expect(shownValue([{ name: 'sparse', weight: 1, options: {} }])).toBe('sparse');
    expect(shownValue({ name: 'grpo', groupSize: 8 })).toBe('grpo');
  });

  // Goes red when a name has the brackets, braces or quotes of JSON.
  it('writes every other value without the signs of JSON', () => {
    expect([8, true, null, undefined, 'direction', [4, 9], [], { low: 1, high: [2, 3] }, {}].map(shownValue)).toEqual([
      '8',
      'true',
      'unset',
      'unset',
      'direction',
      '4, 9',
      'none',
      'low 1, high 2, 3',
      'none',
    ]);
    const long = shownValue('a prompt\nof several lines '.repeat(20));
    expect(long).toMatch(/^a prompt of several lines a prompt/);
    expect(long).toHaveLength(40);
  });
});

describe('shownValues', () => {
  // Goes red when two values get the same name.
  it('adds the fields that differ between values of the same name', () => {
    const clip = (clipHigh: number) => ({ name: 'grpo', options: { clipLow: 0.2, clipHigh } });
    expect(shownValues([clip(0.2), clip(0.28), { name: 'ppo' }, clip(0.2)])).toEqual([
      'grpo clipHigh 0.2',
      'grpo clipHigh 0.28',
      'ppo',
      'grpo clipHigh 0.2',
    ]);
    const price = (cost: number) => [{ name: 'sparse' }, { name: 'cost', weight: 1, options: { price: cost } }];
    expect(shownValues([price(1), price(2)])).toEqual(['sparse + cost price 1', 'sparse + cost price 2']);
  });

  it('numbers long texts that differ only after the cut', () => {
    const text = 'word '.repeat(30);
    const [first, second] = shownValues([`${text}a`, `${text}b`]);
    expect(second).toBe(`${first} (2)`);
  });
});

it('shownSetting puts lists in parentheses, because labels are separated by commas', () => {
  expect(shownSetting('clip', '0.2')).toBe('clip 0.2');
  expect(shownSetting('width', '4, 9')).toBe('width (4, 9)');
  expect(shownSetting('dual', shownValue(null))).toBe('no dual');
});

it('isSelfExplanatory is true for names of plugins', () => {
  const own = (key: string, value: unknown) => isSelfExplanatory(key, value);
  expect([
    own('reward.terms', [{ name: 'sparse' }]),
    own('algorithm.name', 'grpo'),
    own('algorithm', { name: 'ppo' }),
  ]).toEqual([true, true, true]);
  expect([own('reward.terms', []), own('clip', 0.2), own('width', [4, 9]), own('reply', 'word')]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
