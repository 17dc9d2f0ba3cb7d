import { describe, expect, it } from 'vitest';

import { readDomain } from './domain.js';
import { readProblem } from './problem.js';

const exact = { skipCommas: false };
const domainWith = (...parts: string[]) => `(define (domain d)\n${parts.join('\n')}\n)`;
const actionWith = (condition: string, effect = '(done)') =>
  domainWith(`(:action act :parameters (?a - thing ?b)\n :precondition ${condition}\n :effect ${effect})`);
const waysOf = (condition: string) => readDomain(actionWith(condition), exact).schemas[0]!.ways;
const literal = (predicate: string, ...terms: (number | string)[]) => ({ predicate, terms });
const none = { variables: [], positive: [], negative: [], equal: [], different: [], never: [] };

describe('a condition', () => {
  it.each<[string, object[]]>([
    ['()', [none]],
    ['(and)', [none]],
    ['(or)', []],
    ['(Big ?A HOUSE)', [{ ...none, positive: [literal('big', 0, 'house')] }]],
    ['(and (p ?a) (not (q ?b)))', [{ ...none, positive: [literal('p', 0)], negative: [literal('q', 1)] }]],
    [
      '(or (p ?a) (q ?b))',
      [
        { ...none, positive: [literal('p', 0)] },
        { ...none, positive: [literal('q', 1)] },
      ],
    ],
    ['(not (or (p ?a) (q ?b)))', [{ ...none, negative: [literal('p', 0), literal('q', 1)] }]],
    [
      '(not (and (p ?a) (q ?b)))',
      [
        { ...none, negative: [literal('p', 0)] },
        { ...none, negative: [literal('q', 1)] },
      ],
    ],
    [
      '(imply (p ?a) (q ?b))',
      [
        { ...none, negative: [literal('p', 0)] },
        { ...none, positive: [literal('q', 1)] },
      ],
    ],
    ['(not (imply (p ?a) (q ?b)))', [{ ...none, positive: [literal('p', 0)], negative: [literal('q', 1)] }]],
    ['(= ?a ?b)', [{ ...none, equal: [[0, 1]] }]],
    ['(not (= ?a x))', [{ ...none, different: [[0, 'x']] }]],
    [
      '(exists (?c - kind) (p ?c ?a))',
      [{ ...none, variables: [{ number: 2, type: 'kind' }], positive: [literal('p', 2, 0)] }],
    ],
    [
      '(forall (?c - kind) (p ?c))',
      [{ ...none, never: [[{ ...none, variables: [{ number: 2, type: 'kind' }], negative: [literal('p', 2)] }]] }],
    ],
    [
      '(not (exists (?c - kind) (p ?c)))',
      [{ ...none, never: [[{ ...none, variables: [{ number: 2, type: 'kind' }], positive: [literal('p', 2)] }]] }],
    ],
    [
      '(not (forall (?c - kind) (p ?c)))',
      [{ ...none, variables: [{ number: 2, type: 'kind' }], negative: [literal('p', 2)] }],
    ],
    // The second ?c is another variable than the first.
    [
      '(and (exists (?c) (p ?c)) (exists (?c) (q ?c)))',
      [
        {
          ...none,
          variables: [
            { number: 2, type: 'object' },
            { number: 3, type: 'object' },
          ],
          positive: [literal('p', 2), literal('q', 3)],
        },
      ],
    ],
  ])('%s', (text, ways) => {
    expect(waysOf(text)).toEqual(ways);
  });

  it.each([
    ['(p ?c)', 'line 3, column 19: there is no variable "?c" here'],
    ['word', 'line 3, column 16: a condition expected, not "word"'],
    ['(not (p ?a) (q ?a))', 'line 3, column 16: (not ...) has one condition'],
    ['(= ?a)', 'line 3, column 16: (= ...) compares two things'],
    ['(imply (p ?a))', 'line 3, column 16: (imply ...) has two parts'],
    ['(exists ?c (p ?c))', 'line 3, column 24: a list of variables expected'],
    ['(exists (c) (p c))', 'line 3, column 25: a variable expected, not "c"'],
    ['(exists (?c - (either x y)) (p ?c))', 'line 3, column 30: a type expected; (either ...) is not supported'],
    ['(preference x (p ?a))', 'line 3, column 16: (preference ...) is not supported here; conditions have and, or,'],
    ['(>= (cost) 3)', 'line 3, column 16: (>= ...) is not supported here'],
    ['((p ?a))', 'line 3, column 17: a word expected, not a list'],
    [`${'(not '.repeat(150)}(p ?a)${')'.repeat(150)}`, 'more than 100 parentheses inside one another'],
    [`(and ${'(or (p ?a) (q ?a)) '.repeat(12)})`, 'line 3, column 16: this condition has more than 1000 alternatives'],
  ])('%s is refused', (text, message) => {
    expect(() => waysOf(text)).toThrow(message);
  });
});

describe('an effect', () => {
  const effectsOf = (effect: string) => readDomain(actionWith('()', effect), exact).schemas[0]!.effects;

  it('adds and deletes, under conditions, for all things', () => {
    const effects = effectsOf(
      '(and (p ?a) (not (q ?b)) (increase (cost) 5) (when (p ?b) (q ?a)) (forall (?c - kind) (r ?c)))',
    );
    expect(effects).toEqual([
      { variables: [], ways: [none], adds: true, literal: literal('p', 0) },
      { variables: [], ways: [none], adds: false, literal: literal('q', 1) },
      { variables: [], ways: [{ ...none, positive: [literal('p', 1)] }], adds: true, literal: literal('q', 0) },
      { variables: [{ number: 2, type: 'kind' }], ways: [none], adds: true, literal: literal('r', 2) },
    ]);
  });

  it.each([
    ['(or (p ?a) (p ?b))', '(or ...) is not supported as an effect'],
    ['(when (p ?a) (when (p ?b) (q ?a)))', '(when ...) inside of (when ...) is not supported'],
    ['(assign (cost) 3)', '(assign ...) is not supported here'],
  ])('%s is refused', (text, message) => {
    expect(() => effectsOf(text)).toThrow(`line 4, column`);
    expect(() => effectsOf(text)).toThrow(message);
  });
});

describe('a domain', () => {
  it('has types above types, constants, and predicates', () => {
    const domain = readDomain(
      domainWith(
        '(:requirements :adl) ; comment (with parentheses',
        '(:types cup plate - dish dish)',
        '(:constants mine - cup)(:predicates (p ?a ?b - dish) (q))(:functions (cost) - number)',
      ),
      exact,
    );
    expect([...domain.types]).toEqual([
      ['cup', 'dish'],
      ['plate', 'dish'],
      ['dish', 'object'],
    ]);
    expect(domain.constants).toMatchObject([{ name: 'mine', type: 'cup' }]);
  });

  it.each([
    ['', 'line 1, column 1: there is no PDDL'],
    ['hello', 'line 1, column 1: "(" expected, not "hello"'],
    ['(define (domain d)', 'line 1, column 1: this parenthesis is never closed'],
    ['(define (domain d)) extra', 'line 1, column 21: there is more after the last parenthesis: "extra"'],
    ['(define (problem d))', '(define (domain NAME) ...) expected'],
    [domainWith('(:derived (p ?a) (q ?a))'), 'line 2, column 1: (:derived ...) is not supported'],
    [domainWith('(:durative-action go)'), 'line 2, column 1: (:durative-action ...) is not supported'],
    [domainWith('(:types a - b b - a)'), 'the type "a" is above itself'],
    [domainWith('(:predicates (p a))'), 'line 2, column 17: a variable expected, not "a"'],
    [domainWith('(:action)'), 'line 2, column 1: an action needs a name'],
    [domainWith('(:action go :cost 3)'), 'line 2, column 13: ":cost" is not supported'],
    [domainWith('(:action go :effect)'), 'line 2, column 13: ":effect" is not supported; an action has'],
  ])('%j is refused', (text, message) => {
    expect(() => readDomain(text, exact)).toThrow(message);
  });

  it('may have commas between variables, or names with commas, as asked', () => {
    const text = actionWith('(exists (?l - location, ?r - kind) (p ?l ?r))');
    const typesOf = (skipCommas: boolean) =>
      readDomain(text, { skipCommas }).schemas[0]!.ways[0]!.variables.map(({ type }) => type);
    expect(typesOf(true)).toEqual(['location', 'kind']);
    expect(typesOf(false)).toEqual(['location,', 'kind']);
  });
});

describe('a problem', () => {
  const problemWith = (...parts: string[]) => `(define (problem p)\n(:domain d)\n${parts.join('\n')}\n)`;

  it('has objects, facts and a goal', () => {
    const problem = readProblem(
      problemWith(
        '(:objects A b - cup c)',
        '(:init (p A b) (= (cost) 0) (q))',
        '(:goal (exists (?x) (p ?x c)))',
        '(:metric minimize (cost))',
      ),
      exact,
    );
    expect(problem.objects).toMatchObject([
      { name: 'a', type: 'cup' },
      { name: 'b', type: 'cup' },
      { name: 'c', type: 'object' },
    ]);
    expect(problem.facts).toEqual([
      { predicate: 'p', objects: ['a', 'b'] },
      { predicate: 'q', objects: [] },
    ]);
    expect(problem).toMatchObject({ goalVariables: 1 });
  });

  it.each([
    [['(:objects a)'], 'the problem has no (:goal ...)'],
    [['(:goal)'], 'line 3, column 1: (:goal ...) has one condition'],
    [['(:goal (p ?x))'], 'line 3, column 11: there is no variable "?x" here'],
    [['(:init (not (p a)))', '(:goal (p a))'], 'line 3, column 8: (not ...) is not supported as a fact at the start'],
    [['(:init p)', '(:goal (p a))'], 'line 3, column 8: a fact expected'],
    [['(:objects a - x a - y)', '(:goal (p a))'], 'the object "a" has two types, x and y'],
    [
      ['(:constraints)', '(:goal (p a))'],
      '(:constraints ...) is not supported; a problem has :objects, :init and :goal',
    ],
  ])('%j is refused', (parts, message) => {
    expect(() => readProblem(problemWith(...parts), exact)).toThrow(message);
  });
});
