import { describe, expect, it } from 'vitest';

import { compileDescription, describe as tell, type Scene, StoryTextError } from './description.js';

const ids = new Map([
  ['c_0', 1],
  ['s_0', 2],
  ['o_0', 3],
  ['player', 4],
]);
const find = (id: string): number | undefined => ids.get(id);

function sceneOf(
  states: Readonly<Record<number, readonly string[]>>,
  contents: Readonly<Record<number, string>>,
): Scene {
  return {
    stateOf: (object, state) => states[object]?.includes(state) ?? false,
    isEmpty: (object) => contents[object] === undefined,
    isIn: (object, holder) => contents[holder]?.includes(`#${object}`) ?? false,
    name: (object, article) => `${article}:${object}`,
    list: (holder, article, verb) => `${verb ? 'is ' : ''}${article}:${contents[holder] ?? 'nothing'}`,
  };
}

function told(text: string, scene = sceneOf({ 1: ['closed'] }, { 2: '#3' }), self = 1): string {
  return tell(compileDescription(text, 'c_0', find), scene, self);
}

describe('descriptions', () => {
  it('keep text without brackets, and put in names and breaks', () => {
    expect(told('A [noun].[line break]x[paragraph break]y [the o_0] [an o_0] [The s_0]')).toBe(
      'A none:1.\nx\n\ny the:3 a:3 The:2',
    );
  });

  it('choose the first branch whose condition holds', () => {
    const text = '[if open]A[else if closed]B[otherwise]C[end if]';
    expect(told(text)).toBe('B');
    expect(told(text, sceneOf({ 1: ['open'] }, {}))).toBe('A');
    expect(told(text, sceneOf({}, {}))).toBe('C');
    expect(told('x[if open]A[end if]y')).toBe('xy');
    expect(told('[unless open]A[otherwise]B[end unless]')).toBe('A');
    expect(told('[if closed][if s_0 is open]A[otherwise]B[end if][end if]!')).toBe('B!');
  });

  it('understand the conditions of the text grammars', () => {
    const holds = (condition: string): boolean => told(`[if ${condition}]yes[end if]`) === 'yes';
    expect(holds('there is something on the s_0')).toBe(true);
    expect(holds('there is nothing on the s_0')).toBe(false);
    expect(holds('c_0 is closed and there is something on the s_0')).toBe(true);
    expect(holds('c_0 is open and the c_0 contains nothing')).toBe(false);
    expect(holds('the c_0 contains nothing')).toBe(true);
    expect(holds('the c_0 is not open')).toBe(true);
    expect(holds('c_0 is open or s_0 contains something')).toBe(true);
    expect(holds('the o_0 is on the s_0')).toBe(true);
    expect(holds('the player carries the o_0')).toBe(false);
    expect(holds('nothing is in c_0')).toBe(true);
  });

  it('list contents', () => {
    expect(told('[a list of things on the s_0]|[list of things in c_0]|[is-are the list of things in c_0]')).toBe(
      'a:#3|none:nothing|is the:nothing',
    );
  });

  it.each([
    ['[if open]A', 'no [end if]', 1],
    ['A[end if]', 'no [if]', 2],
    ['[if open]A[otherwise]B[otherwise]C[end if]', 'no [if]', 23],
    ['x [noun', 'not closed', 3],
    ['x [no[un]', 'not closed', 3],
    ['x] y', 'not opened', 2],
    ['[if the moon is full]A[end if]', 'the moon is full', 1],
    ['[frobnicate all]', 'not known', 1],
    ['[if c_9 is open]A[end if]', 'there is no c_9', 1],
    ['[__proto__]', 'there is no __proto__', 1],
    ['[if open]'.repeat(50), 'too deep', 145],
    [`[${'x'.repeat(1000)}]`, 'more than 500 characters', 1],
    ['[noun]'.repeat(20_000), 'too many', 60_001],
    ['x'.repeat(300_000), 'longer than', 200_001],
  ])('refuse what no story can have (%#)', (text, message, character) => {
    expect(() => compileDescription(text, 'c_0', find)).toThrow(StoryTextError);
    expect(() => compileDescription(text, 'c_0', find)).toThrow(message);
    expect(() => compileDescription(text, 'c_0', find)).toThrow(`description of c_0, character ${character}:`);
  });
});
