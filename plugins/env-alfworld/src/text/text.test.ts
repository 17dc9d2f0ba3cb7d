import { beforeEach, describe, expect, it } from 'vitest';

import { beginStep } from '../engine/effort.js';
import { Relation } from '../engine/relation.js';
import { derive, deriveIntro, type Telling } from './derive.js';
import { readTextValue } from './expression.js';
import { readGrammar } from './grammar.js';
import { readParts } from './parts.js';
import { isMet, parseQuery, search } from './query.js';

const things = ['apple', 'bag', 'cup', 'desk'];
const types = ['object', 'object', 'object', 'receptacle'];
const relations: { readonly [predicate: string]: Relation } = {
  in: new Relation(4, [
    [0, 3],
    [2, 3],
    [1, 3],
  ]),
  next: new Relation(4, [
    [0, 1],
    [1, 1],
    [1, 0],
  ]),
  big: new Relation(4, [[3], [1]]),
};
const lists =
  '"list_empty": [{"rhs": "nothing"}], "list_separator": [{"rhs": ", "}], "list_last_separator": [{"rhs": ", and "}]';
const tell = (rules = '"intro": [{"rhs": "Hello."}]'): Telling => ({
  grammar: readGrammar(`grammar :: """{${lists}, ${rules}}""";`),
  facts: {
    told: (predicate) => relations[predicate],
    isOfType: (thing, type) => type === 'object' || types[thing] === type,
  },
  printed: (thing) => ({ name: `${things[thing]} 1`, id: things[thing]!, type: types[thing]! }),
});
const print = (text: string, rules?: string, given: Record<string, number> = {}) =>
  derive(readParts(text), new Map(Object.entries(given)), tell(rules));

// Test files share modules, and another one may have used up its step.
beforeEach(beginStep);

describe('a text', () => {
  it.each([
    ['You see [{o.name | in(o:object, r:receptacle)}].', 'You see apple 1, bag 1, and cup 1.'],
    ['[{o.name | in(o:object, r:receptacle) & big(o:object)}]', 'bag 1'],
    ['[{o.name | in(o:receptacle, r:object)}]', 'nothing'],
    // The desk is big, too, but it stands for r already.
    ["[{o.indefinite + ' ' + o.name | big(o:object)}]", 'a bag 1'],
    ['{r.name or r.id}{x}{r.definite}', 'desk 1the'],
    ['{r.type} {r}{r.id}', 'receptacle desk 1desk'],
    ['{o.id|in(o:object,r:receptacle)}', 'applebagcup'],
    // Two variables never are one thing, so the bag is not next to itself.
    ['[{o.id | next(o:object, p:object)}]', 'apple, and bag'],
    // One name with two types is two variables.
    ['[{r.id | big(r:object)}]', 'bag'],
    ['\\nfirst\\nsecond', '\nfirst\nsecond'],
    ['\n\n  first', 'first'],
    ['//comment\nfirst // second', 'first // second'],
    ['"quoted" text', 'quoted text'],
    // What the original's parser does not understand ends the text.
    ['before } after', 'before '],
    ['before ; after', 'before '],
    ['before [{o.id | in(o:object, r:receptacle)} after', 'before '],
    ['', ''],
  ])('%j', (text, printed) => {
    expect(print(text, undefined, { 'r:receptacle': 3 })).toBe(printed);
  });

  it('uses the first production whose condition holds', () => {
    const rules = `"intro": [{"rhs": "#kind(o)#"}], "kind(o)": [{"condition": "big(o:object)", "rhs": "big {o.id}"}, {"rhs": "small {o.id}"}]`;
    expect(print('[{#kind(o)# | in(o:object, r:receptacle)}]', rules)).toBe('small apple, big bag, and small cup');
    const never = '"intro": [{"condition": "none(o:object)", "rhs": "never"}]';
    expect(deriveIntro(tell(never))).toBe('');
  });
});

describe('an expression', () => {
  it.each(["o.name + ' + ' + 'or'", "' or '", 'o.name or p.name + "x"'])('may be %s', (text) => {
    expect(readTextValue(text)).toBeInstanceOf(Array);
  });

  it.each([
    ['o.noun', '{o.noun}: there is no field noun, only name, id, type, indefinite, definite'],
    ['o.name.upper()', '{o.name.upper()} is not supported'],
    ['', '{} is not supported'],
    ['__import__("os")', 'is not supported'],
  ])('is not %s', (text, message) => {
    expect(() => readTextValue(text)).toThrow(message);
  });
});

describe('a query', () => {
  it('has answers in the order of things, and may begin with some', () => {
    const answers = (text: string, given: [string, number][] = []) => {
      const found: string[] = [];
      search(
        parseQuery(text),
        new Map(given),
        tell().facts,
        (values) => (found.push([...values.values()].join('')), false),
      );
      return found;
    };
    expect(answers('in(o:object, r:receptacle)')).toEqual(['03', '13', '23']);
    expect(answers('in(o:object, r:receptacle)', [['o:object', 2]])).toEqual(['23']);
    expect(answers('next(o:object, p:object) & in(p:object, r:receptacle)')).toEqual(['013', '103']);
    expect(answers('unknown(o:object)')).toEqual([]);
    expect(isMet(parseQuery('big(o:object) & next(o:object, q:object)'), new Map(), tell().facts)).toBe(true);
  });

  it.each(['in(o:object', 'in', 'in(o:object) | out(o:object)', 'in(o object)', ''])('is not %j', (text) => {
    expect(() => parseQuery(text)).toThrow(/expected, not/);
  });
});

describe('a grammar is refused', () => {
  const block = (rules: string) => `grammar :: """{${lists}, ${rules}}""";`;
  it.each([
    ['', 'there is no text for #intro#'],
    ['hello', 'line 1: "grammar" or "action" expected, not "hello"'],
    ['grammar', 'the grammar ends too early'],
    ['grammar :: "x";', 'line 1: a text in """ expected'],
    ['\n\ngrammar :: """{""";', 'line 3: this block is no JSON'],
    ['grammar :: """[]""";', 'line 1: the whole of this block should be a list of objects'],
    [
      'grammar :: """{"intro": [{"text": "x"}]}""";',
      '"intro" of this block should be a list of objects with a text "rhs"',
    ],
    ['grammar :: """{"intro": []}""";', '"intro" of this block should be a list'],
    ['grammar :: """{"intro": [null]}""";', '"intro" of this block should be a list'],
    [block('"intro": [{"rhs": "#other#"}]'), 'there is no text for #other#'],
    [
      block('"intro": [{"rhs": "#a#"}], "a": [{"rhs": "x #b#"}], "b": [{"rhs": "[{#a# | big(o:object)}]"}]'),
      'the text "a" contains itself',
    ],
    [block('"intro": [{"rhs": "{o.size}"}]'), 'the text "intro": {o.size}: there is no field size'],
    [
      block('"intro": [{"rhs": "x", "condition": "big"}]'),
      'the text "intro": a fact such as opened(r:receptacle) expected',
    ],
    ['grammar :: """{"intro": [{"rhs": "x"}]}""";', 'there is no text for #list_empty#, which lists need'],
    ['action go { template :: "go"; }', 'line 1: the action go has no feedback'],
    ['action go { color :: "red"; }', 'an action has template, feedback and grammar, not "color"'],
    ['action go { template :: "go" }', 'line 1: ";" expected, not "}"'],
    [
      `${block('"intro": [{"rhs": "x"}]')} action go { template :: "go"; feedback :: "#gone#"; }`,
      'there is no text for #gone#',
    ],
  ])('%j', (text, message) => {
    expect(() => readGrammar(text)).toThrow(message);
  });

  it('unless its lines beginning with # are comments of an action', () => {
    const own = '# a comment\n{\n# another\n"go.feedback": [{"rhs": "Gone."}]}';
    const text = `${block('"intro": [{"rhs": "x"}]')} # comment\naction GO { template :: "go"; feedback :: "#go.feedback#"; grammar :: """${own}"""; }`;
    expect([...readGrammar(text).actions.keys()]).toEqual(['go']);
  });
});
