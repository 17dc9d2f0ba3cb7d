import type { Expression, FunctionName, Operator } from './expression.js';

class ValueError extends Error {}

/**
 * The value of an expression, in float64.
 *
 * @param answer the value of `ans`; undefined before the first answer
 */
export function evaluateExpression(
  expression: Expression,
  answer: number | undefined,
): { readonly value: number } | { readonly error: string } {
  try {
    return { value: valueOf(expression, answer) };
  } catch (error) {
    if (error instanceof ValueError) return { error: error.message };
    throw error;
  }
}

/** Throws an error with the reason if a step is not finite. */
function valueOf(expression: Expression, answer: number | undefined): number {
  const value = reckon(expression, answer);
  if (Number.isNaN(value)) throw new ValueError('the result is not a real number');
  if (!Number.isFinite(value)) throw new ValueError('the result is too large');
  return value;
}

function reckon(expression: Expression, answer: number | undefined): number {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'name':
      if (expression.name === 'pi') return Math.PI;
      if (answer === undefined) throw new ValueError('ans has no value before the first answer');
      return answer;
    case 'negate':
      return -valueOf(expression.of, answer);
    case 'operation':
      return operate(expression.operator, valueOf(expression.left, answer), valueOf(expression.right, answer));
    case 'call':
      return call(
        expression.name,
        expression.inputs.map((input) => valueOf(input, answer)),
      );
  }
}

function operate(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      if (right === 0) throw new ValueError('division by 0');
      return left / right;
    case '%':
      return modulo(left, right);
    case '^':
      if (left === 0 && right < 0) throw new ValueError('division by 0');
      return left ** right;
  }
}

function call(name: FunctionName, inputs: readonly number[]): number {
  const [first = 0, second = 0] = inputs;
  switch (name) {
    case 'gcd':
      return inputs.reduce(greatestDivisor);
    case 'max':
      return Math.max(...inputs);
    case 'min':
      return Math.min(...inputs);
    case 'mod':
      return modulo(first, second);
    case 'sqrt':
      if (first < 0) throw new ValueError('the square root of a negative number');
      return Math.sqrt(first);
    case 'ln':
    case 'log10':
      if (first <= 0) throw new ValueError(`${name} of a number that is not above 0`);
      return name === 'ln' ? Math.log(first) : Math.log10(first);
    case 'round':
      // Rounds halves away from 0, as taught in schools.
      return Math.sign(first) * Math.round(Math.abs(first));
    case 'abs':
    case 'ceil':
    case 'cos':
    case 'exp':
    case 'floor':
    case 'sin':
      return Math[name](first);
  }
}

/** The remainder with the sign of the divisor, as in Python: -7 % 3 is 2. */
function modulo(left: number, right: number): number {
  if (right === 0) throw new ValueError('division by 0');
  const remainder = left % right;
  return remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder;
}

/** Euclid's algorithm. */
function greatestDivisor(left: number, right: number): number {
  if (!Number.isSafeInteger(left) || !Number.isSafeInteger(right))
    throw new ValueError('gcd of a number that is not whole');
  let [a, b] = [Math.abs(left), Math.abs(right)];
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
