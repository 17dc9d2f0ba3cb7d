import { PddlError, type Position } from './pddl-error.js';
import { headOf, isList, listAt, shown, wordsOf, type Expression, type List } from './scan-pddl.js';
import { readVariables, type TypedName } from './typed-names.js';

/** A variable by its number within its action or goal, or the name of an object. */
export type Term = number | string;

export interface Literal {
  readonly predicate: string;
  readonly terms: readonly Term[];
}

/**
 * One way to meet a condition: values for its variables with which all of this holds. A condition has several ways if
 * it contains `or`.
 */
export interface Way {
  /** Variables of `exists`, besides those of the action. */
  readonly variables: readonly Variable[];
  readonly positive: readonly Literal[];
  readonly negative: readonly Literal[];
  readonly equal: readonly (readonly [Term, Term])[];
  readonly different: readonly (readonly [Term, Term])[];
  /** Conditions that nothing may meet: a `forall` says that nothing meets the opposite. */
  readonly never: readonly (readonly Way[])[];
}

export interface Variable {
  readonly number: number;
  readonly type: string;
}

/** The variables that are known at a place of the text, and how to number further ones. */
export class Scope {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #counter: { next: number };

  private constructor(numbers: ReadonlyMap<string, number>, counter: { next: number }) {
    this.#numbers = numbers;
    this.#counter = counter;
  }

  static empty(): Scope {
    return new Scope(new Map(), { next: 0 });
  }

  /** How many variables there are so far, in this scope and in all that were made from the same. */
  get size(): number {
    return this.#counter.next;
  }

  /** The scope inside of a list of variables, and the numbers of these. */
  with(names: readonly TypedName[]): { readonly scope: Scope; readonly variables: readonly Variable[] } {
    const numbers = new Map(this.#numbers);
    const variables = names.map(({ name, type }) => {
      const number = this.#counter.next;
      this.#counter.next += 1;
      numbers.set(name, number);
      return { number, type };
    });
    return { scope: new Scope(numbers, this.#counter), variables };
  }

  term(word: Position & { readonly text: string }): Term {
    if (!word.text.startsWith('?')) return word.text;
    const number = this.#numbers.get(word.text);
    if (number === undefined) throw new PddlError(`there is no variable ${shown(word.text)} here`, word);
    return number;
  }
}

const nothing: Way = { variables: [], positive: [], negative: [], equal: [], different: [], never: [] };
/** A condition that always holds has one way without demands. */
export const always: readonly Way[] = [nothing];
/** Whether the way makes no demands. */
export function isFree({ variables, positive, negative, equal, different, never }: Way): boolean {
  return [variables, positive, negative, equal, different, never].every((part) => part.length === 0);
}

/** More ways than this come from nested `or`s, which households do not have. */
const mostWays = 1000;

/** Reads a condition: `and`, `or`, `not`, `imply`, `exists`, `forall`, `=`, and predicates. */
export function readCondition(expression: Expression, scope: Scope): readonly Way[] {
  return read(expression, scope, false);
}

/** The ways to meet the condition, or its opposite if it is `negated`. */
function read(expression: Expression, scope: Scope, negated: boolean): readonly Way[] {
  if (!isList(expression)) throw new PddlError(`a condition expected, not ${shown(expression.text)}`, expression);
  if (expression.items.length === 0) return negated ? [] : always;
  const head = headOf(expression);
  const parts = expression.items.slice(1);
  switch (head.text) {
    case 'and':
    case 'or': {
      const ways = parts.map((part) => read(part, scope, negated));
      return (head.text === 'and') === negated ? ways.flat() : allOf(ways, expression);
    }
    case 'not':
      return read(only(parts, expression), scope, !negated);
    case 'imply': {
      const [condition, consequence] = parts;
      if (condition === undefined || consequence === undefined || parts.length > 2)
        throw new PddlError('(imply ...) has two parts', expression);
      const ways = [read(condition, scope, !negated), read(consequence, scope, negated)];
      return negated ? allOf(ways, expression) : ways.flat();
    }
    case 'exists':
    case 'forall': {
      const names = readVariables(listAt(parts[0], expression, 'a list of variables').items);
      const inner = scope.with(names);
      const body = only(parts.slice(1), expression);
      const asks = (head.text === 'exists') === negated;
      // What must hold for no values or for all of them: nothing meets the opposite.
      const ways = read(body, inner.scope, asks ? !negated : negated);
      const bound = ways.map((way) => ({ ...way, variables: [...inner.variables, ...way.variables] }));
      return asks ? [{ ...nothing, never: [bound] }] : bound;
    }
    case '=': {
      const [left, right] = wordsOf(parts);
      if (left === undefined || right === undefined || parts.length > 2)
        throw new PddlError('(= ...) compares two things', expression);
      const pair = [scope.term(left), scope.term(right)] as const;
      return [negated ? { ...nothing, different: [pair] } : { ...nothing, equal: [pair] }];
    }
    default: {
      const literal = readLiteral(expression, scope);
      return [negated ? { ...nothing, negative: [literal] } : { ...nothing, positive: [literal] }];
    }
  }
}

export function readLiteral(list: List, scope: Scope): Literal {
  const head = headOf(list);
  if (unsupported.has(head.text)) {
    throw new PddlError(`(${head.text} ...) is not supported here; ${supported}`, list);
  }
  return { predicate: head.text, terms: wordsOf(list.items.slice(1)).map((word) => scope.term(word)) };
}

const supported = 'conditions have and, or, not, imply, exists, forall, = and predicates';
/** Words of PDDL that this package does not know as conditions; a predicate cannot be called so. */
const unsupported: ReadonlySet<string> = new Set([
  ...['when', 'increase', 'decrease', 'assign', 'scale-up', 'scale-down', '<', '>', '<=', '>=', '+', '-', '*', '/'],
  ...['preference', 'always', 'sometime', 'within', 'at-most-once', 'hold-during', 'hold-after', 'either'],
]);

function only(parts: readonly Expression[], list: List): Expression {
  const [part] = parts;
  if (part === undefined || parts.length > 1) throw new PddlError(`(${headOf(list).text} ...) has one condition`, list);
  return part;
}

/** Every combination of a way of each part. */
function allOf(parts: readonly (readonly Way[])[], at: Position): readonly Way[] {
  let ways: readonly Way[] = always;
  for (const part of parts) {
    ways = ways.flatMap((one) => part.map((other) => both(one, other)));
    if (ways.length > mostWays) throw new PddlError(`this condition has more than ${mostWays} alternatives`, at);
  }
  return ways;
}

function both(one: Way, other: Way): Way {
  return {
    variables: [...one.variables, ...other.variables],
    positive: [...one.positive, ...other.positive],
    negative: [...one.negative, ...other.negative],
    equal: [...one.equal, ...other.equal],
    different: [...one.different, ...other.different],
    never: [...one.never, ...other.never],
  };
}
