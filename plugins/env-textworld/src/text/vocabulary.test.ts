import { describe, expect, it } from 'vitest';

import { dictionaryForm, PrepositionWord, VerbWord, Vocabulary } from './vocabulary.js';

describe('words of a dictionary', () => {
  it.each([
    ['key', 'key'],
    ['rectangular', 'rectangul'],
    ["henderson's", 'henderson'],
    ['type-4', 'type-4'],
    ['frosted-glass', 'frosted-'],
    ['frosted-x', 'frosted-'],
    ['abcdefgh-', 'abcdefgh'],
    ['abcdé', 'abcdé'],
    ['abcdefé', 'abcdef\u0001'],
  ])('%s is %s', (word, form) => {
    expect(dictionaryForm(word)).toBe(form);
  });

  it('are the same if their first letters are', () => {
    const words = new Vocabulary();
    const number = words.add('rectangular', VerbWord);
    expect(words.find('rectangulate')).toBe(number);
    expect(words.find('rectangle')).toBe(0);
    expect(words.has(number, VerbWord)).toBe(true);
    expect(words.form(number)).toBe('rectangul');
  });

  it('extend those of another dictionary', () => {
    const base = new Vocabulary();
    const take = base.add('take', VerbWord);
    const words = new Vocabulary(base);
    const box = words.add('box');
    expect(words.add('take')).toBe(take);
    expect([words.find('take'), words.find('box'), base.find('box')]).toEqual([take, box, 0]);
    expect([words.has(take, VerbWord), words.has(box, PrepositionWord)]).toEqual([true, false]);
    expect([words.form(take), words.form(box), words.find('__proto__')]).toEqual(['take', 'box', 0]);
  });
});
