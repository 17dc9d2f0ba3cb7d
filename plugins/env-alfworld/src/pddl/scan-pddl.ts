import { PddlError, type Position } from './pddl-error.js';

/** A word of PDDL in small letters: PDDL does not tell capitals from small letters. */
export interface Word extends Position {
  readonly text: string;
}

/** A pair of parentheses with what is inside; the position is that of the opening one. */
export interface List extends Position {
  readonly items: readonly Expression[];
}

export type Expression = Word | List;

export function isList(expression: Expression): expression is List {
  return 'items' in expression;
}

/** Deeper lists than this are no household. */
const deepest = 100;

export interface ScanOptions {
  /**
   * Commas are white space. ALFWorld's domain writes `(?l - location, ?r - receptacle)`, and Fast Downward takes
   * `location,` for the name of a type, of which there is no object.
   */
  readonly skipCommas: boolean;
}

/**
 * The one list that a text of PDDL consists of. As in Fast Downward, a question mark begins a word wherever it stands.
 */
export function scanPddl(text: string, { skipCommas }: ScanOptions): List {
  const open: { readonly items: Expression[]; readonly at: Position }[] = [];
  let whole: List | undefined;
  let line = 1;
  let lineStart = 0;
  let place = 0;
  while (place < text.length) {
    const character = text[place] as string;
    if (character === '\n') {
      line += 1;
      lineStart = place + 1;
    }
    if (isBlank(character) || (skipCommas && character === ',')) {
      place += 1;
      continue;
    }
    if (character === ';') {
      const end = text.indexOf('\n', place);
      place = end === -1 ? text.length : end;
      continue;
    }
    const at = { line, column: place - lineStart + 1 };
    const start = place;
    place += 1;
    while (
      character !== '(' &&
      character !== ')' &&
      place < text.length &&
      !endsWord(text[place] as string, skipCommas)
    )
      place += 1;
    const token = text.slice(start, place);
    if (whole !== undefined) throw new PddlError(`there is more after the last parenthesis: ${shown(token)}`, at);
    if (token === '(') {
      if (open.length === deepest) throw new PddlError(`more than ${deepest} parentheses inside one another`, at);
      open.push({ items: [], at });
      continue;
    }
    const inner = open.at(-1);
    if (inner === undefined) throw new PddlError(`"(" expected, not ${shown(token)}`, at);
    if (token !== ')') {
      inner.items.push({ text: token.toLowerCase(), ...at });
      continue;
    }
    open.pop();
    const list = { items: inner.items, ...inner.at };
    const outer = open.at(-1);
    if (outer === undefined) whole = list;
    else outer.items.push(list);
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw new PddlError('this parenthesis is never closed', unclosed.at);
  if (whole === undefined) throw new PddlError('there is no PDDL', { line: 1, column: 1 });
  return whole;
}

function isBlank(character: string): boolean {
  return character <= ' ' || (character > '~' && character.trim() === '');
}

function endsWord(character: string, skipCommas: boolean): boolean {
  if (character === '(' || character === ')' || character === ';' || character === '?') return true;
  return isBlank(character) || (skipCommas && character === ',');
}

/** The words of a list. Throws if one of its items is a list. */
export function wordsOf(items: readonly Expression[]): readonly Word[] {
  return items.map((item) => {
    if (isList(item)) throw new PddlError('a word expected, not a list', item);
    return item;
  });
}

/** The first word of a list: what kind of list it is. */
export function headOf(list: List): Word {
  const [head] = list.items;
  if (head === undefined) throw new PddlError('an empty list', list);
  if (isList(head)) throw new PddlError('a word expected, not a list', head);
  return head;
}

export function listAt(expression: Expression | undefined, parent: Position, what: string): List {
  if (expression === undefined || !isList(expression)) throw new PddlError(`${what} expected`, expression ?? parent);
  return expression;
}

/** A piece of the text for a message. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}
