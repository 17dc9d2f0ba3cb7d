import { expect, it } from 'vitest';

import { sortRows } from './sort-rows.js';

// Goes red when missing values come first in one direction, or when equal rows change places.
it('sorts by numbers and by texts with numbers, equals as they were, what is missing last', () => {
  const rows = [['a', 2], ['b', null], ['c', 10], ['d', 2]] as const; // prettier-ignore
  const order = (direction: 'ascending' | 'descending') => sortRows(rows, ([, value]) => value, direction).map(([name]) => name).join(''); // prettier-ignore
  expect(order('ascending')).toBe('adcb');
  expect(order('descending')).toBe('cadb');
  const texts = ['task 10', 'task 2', 'Task 1'];
  expect(sortRows(texts, (text) => text, 'ascending')).toEqual(['Task 1', 'task 2', 'task 10']);
});
