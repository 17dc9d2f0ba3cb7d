import { TextError } from './text-error.js';

/** A value of a text: `o.indefinite + ' ' + o.name`, or `r.name or r.id`. */
export type TextValue = readonly (readonly Operand[])[];

type Operand =
  | { readonly words: string }
  | { readonly variable: string; readonly field: 'name' | 'id' | 'type' | 'indefinite' | 'definite' };

const fields = ['name', 'id', 'type', 'indefinite', 'definite'] as const;
const operand = /^(?:'([^']*)'|"([^"]*)"|([A-Za-z_]\w*)(?:\.(\w+))?)$/;

/**
 * Reads sums of texts, and alternatives of sums of which the first that is not empty counts. The original evaluates any
 * Python here.
 */
export function readTextValue(text: string): TextValue {
  const sums: Operand[][] = [[]];
  let isOperand = true;
  for (const piece of text.match(pieces) ?? []) {
    const isRight = isOperand !== (piece === '+' || piece === 'or');
    const match = operand.exec(piece);
    if (!isRight || (isOperand && match === null)) return refuse(text);
    if (isOperand) sums.at(-1)?.push(readOperand(match as RegExpExecArray, text));
    else if (piece === 'or') sums.push([]);
    isOperand = !isOperand;
  }
  return isOperand ? refuse(text) : sums;
}

/** Texts in quotation marks, names with fields, plus signs, and whatever else there is. */
const pieces = /'[^']*'|"[^"]*"|[\w.]+|\S/g;

function refuse(text: string): never {
  throw new TextError(`{${text}} is not supported; values are texts, NAME, NAME.name and sums of them`);
}

function readOperand([, single, double, variable, field = 'name']: RegExpExecArray, text: string): Operand {
  if (variable === undefined) return { words: single ?? double ?? '' };
  const known = fields.find((one) => one === field);
  if (known !== undefined) return { variable, field: known };
  throw new TextError(`{${text}}: there is no field ${field}, only ${fields.join(', ')}`);
}
