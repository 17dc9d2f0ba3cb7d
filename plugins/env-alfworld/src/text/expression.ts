import { TextError } from './text-error.js';

/** A value of a text: `o.indefinite + ' ' + o.name`, or `r.name or r.id`. */
export type Expression = readonly (readonly Operand[])[];

export type Operand =
  | { readonly words: string }
  | { readonly variable: string; readonly field: 'name' | 'id' | 'type' | 'indefinite' | 'definite' };

const fields = ['name', 'id', 'type', 'indefinite', 'definite'] as const;
const operand = /^(?:'([^']*)'|"([^"]*)"|([A-Za-z_]\w*)(?:\.(\w+))?)$/;

/**
 * Reads sums of texts, and alternatives of sums of which the first that is not empty counts. The original evaluates any
 * Python here.
 */
export function readExpression(text: string): Expression {
  return text.split(/\s+or\s+/).map((sum) =>
    splitSum(sum).map((each) => {
      const match = operand.exec(each.trim());
      if (match === null)
        throw new TextError(`{${text}} is not supported; values are texts, NAME, NAME.name and sums of them`);
      const [, single, double, variable, field = 'name'] = match;
      if (variable === undefined) return { words: single ?? double ?? '' };
      const known = fields.find((one) => one === field);
      if (known === undefined) throw new TextError(`{${text}}: there is no field ${field}, only ${fields.join(', ')}`);
      return { variable, field: known };
    }),
  );
}

/** The summands of a sum; a plus sign in quotation marks is none. */
function splitSum(text: string): readonly string[] {
  return text.match(/(?:'[^']*'|"[^"]*"|[^+])+/g) ?? [''];
}
