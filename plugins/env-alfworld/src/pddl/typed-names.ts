import { PddlError } from './pddl-error.js';
import { isList, shown, type Expression } from './scan-pddl.js';
import type { Position } from './pddl-error.js';

export interface TypedName extends Position {
  readonly name: string;
  readonly type: string;
}

/** The type of all things, and of names without a type. */
export const rootType = 'object';

/** `a b - kind c`: names, each with the type that follows it. */
export function readTypedNames(items: readonly Expression[]): readonly TypedName[] {
  const typed: TypedName[] = [];
  let waiting: { readonly name: string; readonly at: Position }[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as Expression;
    if (isList(item)) throw new PddlError('a name expected; lists such as (either ...) are not supported', item);
    if (item.text !== '-') {
      waiting.push({ name: item.text, at: item });
      continue;
    }
    index += 1;
    const type = items[index];
    if (type === undefined) throw new PddlError('a type expected after "-"', item);
    if (isList(type)) throw new PddlError(`a type expected; (either ...) is not supported`, type);
    typed.push(...waiting.map(({ name, at }) => ({ name, type: type.text, line: at.line, column: at.column })));
    waiting = [];
  }
  typed.push(...waiting.map(({ name, at }) => ({ name, type: rootType, line: at.line, column: at.column })));
  return typed;
}

/** Variables with their types, `?a - kind`. */
export function readVariables(items: readonly Expression[]): readonly TypedName[] {
  const variables = readTypedNames(items);
  for (const variable of variables) {
    if (!variable.name.startsWith('?'))
      throw new PddlError(`a variable expected, not ${shown(variable.name)}`, variable);
  }
  return variables;
}
