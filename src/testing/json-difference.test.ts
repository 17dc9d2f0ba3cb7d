import { expect, it } from 'vitest';

import { jsonDifference } from './json-difference.js';

it('names the path at which two answers part, and both values', () => {
  const facts = (progress: number) => ({ observation: 'x'.repeat(500), facts: { success: false, progress } });
  expect(jsonDifference(facts(0.5), facts(0.25))).toBe('facts.progress: 0.5 versus 0.25');
  expect(jsonDifference([{ a: [1, 2] }], [{ a: [1, 3] }], 'turns')).toBe('turns[0].a[1]: 2 versus 3');
  expect(jsonDifference({ a: 1 }, { a: 1, b: null })).toBe('b: nothing versus null');
  expect(jsonDifference({ a: 1 }, { a: { b: 1 } })).toBe('a: 1 versus {"b":1}');
  expect(jsonDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe('the order of the keys');
  expect(jsonDifference({ a: [1] }, { a: [1] })).toBeUndefined();
});

// Goes red when both texts are cut before their first difference.
it('shows of long texts where they part', () => {
  const start = 'The room is dark. '.repeat(20);
  const found = jsonDifference({ text: `${start}A door.` }, { text: `${start}A window.` });
  expect(found).toBe('text: … is dark. A door." versus … is dark. A window.", from character 363 on');
});
