import { describe, expect, it } from 'vitest';

import { houseLogic } from './house-logic.js';
import { parseLogic } from './parse-logic.js';
import type { Pattern } from './logic.js';
import { signatureOrder } from './signature-order.js';
import { isConstant } from './type-tree.js';

const written = (patterns: readonly Pattern[]): string =>
  patterns.map(({ name, placeholders }) => `${name}(${placeholders.map((p) => p.name).join(', ')})`).join(' & ');

describe('parseLogic', () => {
  it('reads types, rules, aliases and what Inform needs', () => {
    const logic = parseLogic(`
      # A comment, and "quotes" in it.
      type r { predicates { near(r, r); far(r, r') = !near(r, r') & beyond(r', r); at(P, r); } }
      type P {
        rules {
          zap :: $at(P, r1: r) & far(r1: r, r') -> near(r', r1: r); # Another one.
          hop :: at(P, r) & near(r, r') -> at(P, r');
        }
        reverse_rules { hop :: hop2; }
        rules { hop2 :: at(P, r') & near(r, r') -> at(P, r); }
        constraints { b :: at(P, r) & at(P, r') -> fail(); a :: near(r, r) -> fail(); }
        inform7 {
          type { kind :: "person"; definition :: "A person is here."; }
          predicates { at(P, r) :: "The player is in {r}"; }
          commands { hop :: "hop to {r'}" :: "hopping to {r'}"; gone :: "vanish" :: "vanishing"; }
          code :: """
            First line.

              Second "line".
          """;
        }
      }
      type k/x-1 : r, P { }
    `);
    expect(logic.types.names).toEqual(['P', 'k/x-1', 'r']);
    expect(logic.types.isA('k/x-1', 'P')).toBe(true);
    expect([...logic.rules.keys()]).toEqual(['hop', 'hop2', 'zap']);
    const zap = logic.rules.get('zap')!;
    expect(written(zap.before)).toBe("at(P, r1) & not_near(r1, r') & beyond(r', r1)");
    expect(written(zap.after)).toBe("at(P, r1) & near(r', r1)");
    expect(zap.placeholders).toEqual([
      { name: 'P', type: 'P' },
      { name: 'r1', type: 'r' },
      { name: "r'", type: 'r' },
    ]);
    expect(zap.command).toBeUndefined();
    expect(logic.rules.get('hop')).toMatchObject({ command: "hop to {r'}", reverse: 'hop2' });
    expect(logic.rules.get('hop2')).toMatchObject({ reverse: 'hop' });
    expect(logic.constraints.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(logic.inform.events.get('hop')).toBe("hopping to {r'}");
    expect(logic.inform.kinds.get('P')).toEqual({ kind: 'person', definition: 'A person is here.' });
    expect(logic.inform.sentences.map(({ sentence }) => sentence)).toEqual(['The player is in {r}']);
    expect(logic.inform.code).toBe('\nFirst line.\n\n  Second "line".\n\n');
    expect([...logic.factNames].sort()).toEqual(['at', 'beyond', 'fail', 'far', 'near', 'not_near']);
  });

  it('gives the same object for the same text', () => {
    expect(parseLogic('type a { }')).toBe(parseLogic('type a { }'));
    expect(parseLogic('type a { } ')).not.toBe(parseLogic('type a { }'));
  });

  it.each([
    ['typo a { }', 'line 1: expected `type`'],
    ['type a {', 'line 1: expected a name of a type, found the end of the text'],
    ['type a { }\ntype a { }', 'line 2: type `a` is declared twice'],
    ['type a : b { }', 'type `a`: no type is called `b`'],
    ['type a : b { } type b : a { }', 'supertypes form a cycle'],
    ['type a { __proto__ { } }', 'line 1: expected one of predicates, rules'],
    ['type a {\n rules {\n\n x :: p(a) -> q(a) } }', 'line 4: expected `;`, found `} }`'],
    ['type a { rules { x :: p(a) -> q(b); } }', 'line 1: `x`: no type is called `b`'],
    ['type a { rules { x :: p(a) & p(a: b) -> q(a); } type b { } }', 'line 1: `a` has the types `a` and `b`'],
    ['type a { rules { x :: p(a) -> p(a); x :: p(a) -> p(a); } }', 'line 1: rule `x` is declared twice'],
    ['type a { predicates { p(a); p(a); } }', 'line 1: p(a) is declared twice'],
    ['type a { reverse_rules { x :: y; } rules { x :: p(a) -> q(a); } }', 'line 1: `x`: no rule is called `y`'],
    ['type a { reverse_rules { x :: y; z :: y; } }', 'line 1: rule `y` has two reverse rules'],
    [
      'type a { inform7 { commands { x :: "do {b}" :: ""; } } rules { x :: p(a) -> p(a); } }',
      'no placeholder is called `b`',
    ],
    ['type a { inform7 { commands { x :: "{{a}}" :: ""; } } rules { x :: p(a) -> p(a); } }', 'braces that enclose no'],
    ['type a { inform7 { code :: """x; } }', 'line 1: a text without closing quotes'],
    ['type a { predicates { p(a) = q(a); q(a) = p(a); } rules { x :: p(a) -> r(a); } }', 'form a cycle or go too deep'],
    [`type a { rules { x :: p(${'a, '.repeat(8)}a) -> q(a); } }`, 'more than 8 placeholders'],
    ['#'.repeat(1_000_001), 'longer than 1000000 characters'],
  ])('refuses %j', (text, message) => {
    expect(() => parseLogic(text)).toThrow(message);
  });

  it('refuses aliases that grow without end, deep types and too many types for a pattern', () => {
    const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
    const aliases = names.map((name, index) => `${name}(a) = p${index + 1}(a) & p${index + 1}(a);`);
    const doubling = `type a { predicates { ${aliases.slice(0, 12).join(' ')} } rules { x :: p0(a) -> q(a); } }`;
    expect(() => parseLogic(doubling)).toThrow('more than 64 facts in a rule');
    const deep = Array.from({ length: 100 }, (_, index) => `type t${index} : t${index + 1} { }`).join(' ');
    expect(() => parseLogic(`${deep} type t100 { }`)).toThrow('go too deep');
    const wide = Array.from({ length: 30 }, (_, index) => `type t${index} : t { }`).join(' ');
    const rule = "type t { rules { x :: p(t, t', t'', t''') -> q(t); } }";
    expect(() => parseLogic(`${wide} ${rule}`)).toThrow('too many combinations of types');
  });

  it('reads a text of many lines in linear time', () => {
    const rules = Array.from({ length: 1900 }, (_, index) => `x${index} :: p(a) -> q(a);\n`).join('');
    expect(parseLogic(`type a { rules {\n${rules} } }`).rules.size).toBe(1900);
    expect(() => parseLogic(`type a { rules {\n${rules} ! } }`)).toThrow('line 1902');
  });
});

describe('types', () => {
  it('are listed with those below them', () => {
    const { types } = houseLogic();
    expect(types.names).toEqual(['I', 'P', 'c', 'd', 'f', 'k', 'o', 'r', 's', 't']);
    expect(types.withBelow('t')).toEqual(['t', 'c', 'd', 'o', 'f', 'k', 's']);
    expect(types.below('t')).toEqual(['c', 'd', 'o', 's']);
    expect(types.isA('k', 't')).toBe(true);
    expect(types.isA('o', 'k')).toBe(false);
    expect(types.isA('toString', 't')).toBe(false);
    expect(['P', 'I', 'RECIPE', '_x', 'é', 'p'].map(isConstant)).toEqual([true, true, true, true, false, false]);
  });

  it('are combined breadth first', () => {
    const { types } = parseLogic('type a { } type b : a { } type c : a { } type d : b { } type x { } type y : x { }');
    const pattern = { name: 'p', placeholders: ['a', 'x'].map((type) => ({ name: type, type })) };
    const order = ['a x', 'b x', 'c x', 'a y', 'd x', 'b y', 'c y', 'd y'];
    expect([...signatureOrder(types, pattern).keys()]).toEqual(order);
  });
});

describe('houseLogic', () => {
  it('has the rules of a house', () => {
    const { rules, constraints } = houseLogic();
    expect([...rules.keys()]).toEqual([
      'close/c', 'close/d', 'drop', 'eat', 'examine/I', 'examine/c', 'examine/d', 'examine/s', 'examine/t',
      'go/east', 'go/north', 'go/south', 'go/west', 'insert', 'inventory', 'lock/c', 'lock/d', 'look', 'open/c',
      'open/d', 'put', 'take', 'take/c', 'take/s', 'unlock/c', 'unlock/d',
    ]); // prettier-ignore
    expect(constraints).toHaveLength(46);
    expect(written(rules.get('go/south')!.before)).toBe("at(P, r) & north_of(r, r') & free(r, r') & free(r', r)");
    expect([...rules.values()].filter(({ reverse }) => reverse === undefined).map(({ name }) => name)).toEqual(['eat']);
    expect([...rules.values()].every(({ command }) => command !== undefined)).toBe(true);
  });
});
