import { describe, expect, it } from 'vitest';

import { levelNames } from './level-names.js';

const texts = (key: string, values: Parameters<typeof levelNames>[1]) =>
  levelNames(key, values).map(({ text }) => text);

describe('levelNames', () => {
  it('calls contributions by their names, and lists of them by all of theirs', () => {
    expect(texts('algorithm', [{ name: 'grpo', groupSize: 8 }, { name: 'ppo' }])).toEqual(['grpo', 'ppo']);
    expect(texts('reward.terms', [[{ name: 'sparse' }], [{ name: 'dense' }, { name: 'cost', weight: 0.1 }]])).toEqual([
      'sparse',
      'dense + cost 0.1',
    ]);
    expect(levelNames('algorithm.name', ['grpo'])).toEqual([{ text: 'grpo', isName: true }]);
  });

  // Goes red when two values get the same name.
  it('adds what differs where two would be called alike', () => {
    const clip = (clipHigh: number) => ({ name: 'grpo', options: { clipLow: 0.2, clipHigh } });
    expect(texts('algorithm', [clip(0.2), clip(0.28), { name: 'ppo' }])).toEqual([
      'grpo clipHigh 0.2',
      'grpo clipHigh 0.28',
      'ppo',
    ]);
    expect(texts('algorithm', [{ name: 'grpo' }, { name: 'grpo', epochs: 4 }])).toEqual([
      'grpo epochs unset',
      'grpo epochs 4',
    ]);
  });

  it('writes anything else as it is, which needs its key', () => {
    expect(levelNames('algorithm.groupSize', [8])).toEqual([{ text: '8', isName: false }]);
    expect(levelNames('environment.options.reply', ['direction'])).toEqual([{ text: 'direction', isName: false }]);
    expect(texts('environment.options.width', [[8, 12], null])).toEqual(['8, 12', 'unset']);
  });
});
