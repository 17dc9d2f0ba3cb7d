/** An expression as a tree. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'name'; readonly name: 'ans' | 'pi' }
  | { readonly kind: 'negate'; readonly of: Expression }
  | { readonly kind: 'operation'; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly inputs: readonly Expression[] };

export type Operator = '+' | '-' | '*' | '/' | '%' | '^';

/** The minimum and maximum number of inputs of each function. */
export const functions = {
  abs: [1, 1],
  ceil: [1, 1],
  cos: [1, 1],
  exp: [1, 1],
  floor: [1, 1],
  gcd: [2, Infinity],
  ln: [1, 1],
  log10: [1, 1],
  max: [1, Infinity],
  min: [1, Infinity],
  mod: [2, 2],
  round: [1, 1],
  sin: [1, 1],
  sqrt: [1, 1],
} as const satisfies { readonly [name: string]: readonly [least: number, most: number] };

export type FunctionName = keyof typeof functions;
