import { type Expression, type FunctionName, functions, type Operator } from './expression.js';

/** Deepest nesting of parentheses, signs and powers. */
const deepest = 50;

/** A number, a name, or any other single character, which counts as a sign. */
const token = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([a-zA-Z][a-zA-Z0-9]*)|(\S))/uy;

interface Token {
  readonly kind: 'number' | 'name' | 'sign';
  readonly text: string;
  /** Position of its first character, from 1. */
  readonly place: number;
}

class ExpressionError extends Error {}

/**
 * Reads an expression: sums of products of powers. `^` binds more tightly than a sign before it and goes from right to
 * left, so -2^2 is -4 and 2^3^2 is 512; the others go from left to right.
 */
export function parseExpression(text: string): { readonly expression: Expression } | { readonly error: string } {
  try {
    return { expression: new Parser(readTokens(text)).whole() };
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.message };
    throw error;
  }
}

function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [all, number, name, sign] = match;
    const found = number ?? name ?? sign ?? '';
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign';
    tokens.push({ kind, text: found, place: match.index + all.length - found.length + 1 });
  }
  return tokens;
}

/** Recursive descent over the tokens. */
class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    if (this.#tokens.length === 0) throw new ExpressionError('there is no expression');
    const expression = this.#sum();
    const rest = this.#tokens[this.#next];
    if (rest !== undefined) throw new ExpressionError(`${shown(rest)} was not expected`);
    return expression;
  }

  #sum(): Expression {
    return this.#operations(['+', '-'], () => this.#product());
  }

  #product(): Expression {
    return this.#operations(['*', '/', '%'], () => this.#signed());
  }

  #operations(operators: readonly Operator[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const operator = operators.find((sign) => this.#take(sign));
      if (operator === undefined) return left;
      left = { kind: 'operation', operator, left, right: operand() };
    }
  }

  #signed(): Expression {
    if (this.#take('-')) return { kind: 'negate', of: this.#deeper(() => this.#signed()) };
    if (this.#take('+')) return this.#deeper(() => this.#signed());
    const base = this.#atom();
    if (!this.#take('^')) return base;
    return { kind: 'operation', operator: '^', left: base, right: this.#deeper(() => this.#signed()) };
  }

  #atom(): Expression {
    const first = this.#tokens[this.#next];
    if (first === undefined) throw new ExpressionError('it ends where a number was expected');
    this.#next += 1;
    if (first.kind === 'number') return { kind: 'number', value: Number(first.text) };
    if (first.kind === 'name') return this.#named(first);
    if (first.text !== '(') throw new ExpressionError(`${shown(first)} was not expected`);
    const inner = this.#deeper(() => this.#sum());
    this.#expect(')');
    return inner;
  }

  #named(first: Token): Expression {
    const name = first.text.toLowerCase();
    if (name === 'ans' || name === 'pi') return { kind: 'name', name };
    if (!isFunction(name)) throw new ExpressionError(`there is no ${shown(first)}`);
    this.#expect('(');
    const inputs = [this.#deeper(() => this.#sum())];
    while (this.#take(',')) inputs.push(this.#deeper(() => this.#sum()));
    this.#expect(')');
    const [least, most] = functions[name];
    if (inputs.length < least || inputs.length > most) {
      const wanted = least === most ? `${least}` : `${least} or more`;
      throw new ExpressionError(`${name} takes ${wanted}, not ${inputs.length}`);
    }
    return { kind: 'call', name, inputs };
  }

  #deeper<T>(read: () => T): T {
    if (this.#depth >= deepest) throw new ExpressionError(`it is nested more than ${deepest} deep`);
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #take(sign: string): boolean {
    const next = this.#tokens[this.#next];
    if (next?.kind !== 'sign' || next.text !== sign) return false;
    this.#next += 1;
    return true;
  }

  #expect(sign: string): void {
    if (this.#take(sign)) return;
    const next = this.#tokens[this.#next];
    throw new ExpressionError(
      next === undefined ? `${sign} is missing at the end` : `${sign} was expected instead of ${shown(next)}`,
    );
  }
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(functions, name);
}

/** A token and its position. A long token is shortened. */
function shown({ text, place }: Token): string {
  const written = text.length > 20 ? `${text.slice(0, 20)}...` : text;
  return `${JSON.stringify(written)} at character ${place}`;
}
