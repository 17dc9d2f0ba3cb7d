import { describe, expect, it } from 'vitest';

import { foldBreaks, objectiveAsInform, quotedAsInform, titleCase } from './inform-text.js';

describe('texts as Inform prints them', () => {
  it.each([
    ["It's 5 o'clock", "It's 5 o'clock"],
    ["'quoted' rock 'n' roll", '"quoted" rock "n" roll'],
    ["the guys' room, the 90's", 'the guys" room, the 90"s'],
    ["'tis", '"tis'],
    ["'s end", "'s end"],
    ["'style", '"style'],
  ])('%s', (text, printed) => {
    expect(quotedAsInform(text)).toBe(printed);
  });

  it('looks at a part of a text by itself', () => {
    const text = "[noun]'s and [noun]' x";
    expect(quotedAsInform(text, 6, 13)).toBe("'s and ");
    expect(quotedAsInform(text, 19)).toBe('" x');
  });

  it('cuts an objective into parts of 200 characters', () => {
    const front = 'a'.repeat(199);
    expect(objectiveAsInform(`${front}n't, don't`)).toBe(`${front}n"t, don't`);
    expect(objectiveAsInform(`x\n${front}n't`)).toBe(`x\n${front}n"t`);
  });

  it('folds line breaks', () => {
    expect(foldBreaks('a \n b\n\n\n  c\n')).toBe('a b\n\nc ');
    expect(foldBreaks(' leading')).toBe(' leading');
  });

  it('writes headings', () => {
    expect(titleCase("chef's dish-pit 2b")).toBe("Chef'S Dish-Pit 2B");
  });
});
