import { describe, expect, it } from 'vitest';

import type { JsonPlace } from '../contracts/wire.js';
import { openJson } from './open-json.js';

const open = (text: string) => openJson(text, (problem) => new Error(`host answered with ${problem}`));

describe('a document of somebody else', () => {
  it('gives its values, and keeps absent apart from wrong', () => {
    const root = open('{"a":[{"b":"text","n":-1.5,"i":3,"l":[1,2]}],"none":null}');
    const [first] = root.member('a').items();
    expect(first!.member('b').text()).toBe('text');
    expect(first!.member('n').number(-2, 0)).toBe(-1.5);
    expect(first!.member('i').integer(3, 3)).toBe(3);
    expect(first!.member('l').integers(0)).toEqual([1, 2]);
    expect([root.member('none').isAbsent, root.member('other').isAbsent, root.member('a').isAbsent]).toEqual([
      true,
      true,
      false,
    ]);
    // What every object has is no member of a document.
    expect(root.member('toString').isAbsent).toBe(true);
    expect(open('{"__proto__":{"x":1}}').member('x').isAbsent).toBe(true);
  });

  it.each<[string, (root: JsonPlace) => unknown, string]>([
    ['', (root) => root, 'no JSON, but an empty body'],
    ['<html>\u001b[31m\n', (root) => root, 'no JSON: <html> [31m'],
    ['null', (root) => root.member('a'), 'null, not an object'],
    ['[]', (root) => root.member('a'), 'a list, not an object'],
    ['{}', (root) => root.member('a').text(), 'a: missing'],
    ['{"a":null}', (root) => root.member('a').member('b'), 'a: null, not an object'],
    ['{"a":{"0":1}}', (root) => root.member('a').items(), 'a: an object, not a list'],
    ['{"a":[{"b":5}]}', (root) => root.member('a').items()[0]?.member('b').text(), 'a[0].b: 5, not a text'],
    ['{"a":"7"}', (root) => root.member('a').number(), 'a: "7", not a number'],
    ['{"a":-1e308}', (root) => root.member('a').number(-1e9, 0), 'a: -1e+308, not a number from -1000000000 to 0'],
    ['{"a":1e999}', (root) => root.member('a').number(), 'a: Infinity, not a finite number'],
    ['{"a":-1}', (root) => root.member('a').integer(0), 'a: -1, not a number of at least 0'],
    ['{"a":1.5}', (root) => root.member('a').integer(0), 'a: 1.5, not a whole number'],
    ['{"a":[1,null]}', (root) => root.member('a').numbers(), 'a[1]: null, not a number'],
    ['{"a":[1,-1]}', (root) => root.member('a').integers(0), 'a[1]: -1, not a number of at least 0'],
    ['{"a":[1,1.5]}', (root) => root.member('a').integers(), 'a[1]: 1.5, not a whole number'],
    [`{"a":"${'x'.repeat(90)}"}`, (root) => root.member('a').items(), `a: "${'x'.repeat(40)} …", not a list`],
  ])('%s is refused with the place', (text, read, problem) => {
    expect(() => read(open(text))).toThrow(new Error(`host answered with ${problem}`));
  });
});
