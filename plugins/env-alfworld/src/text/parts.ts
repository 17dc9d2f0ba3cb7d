import { readTextValue, type TextValue } from './expression.js';
import { parseQuery, type Query } from './query.js';

/** A piece of a text: words, the text of a symbol, a value, or something for each answer of a query. */
export type Part =
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'symbol'; readonly symbol: string }
  | { readonly kind: 'value'; readonly expression: TextValue }
  | { readonly kind: 'each'; readonly item: Item; readonly query: Query | undefined; readonly isList: boolean };

type Item = Extract<Part, { readonly kind: 'symbol' | 'value' }>;

/** What the original's parser drops at the start of a text: tabs, blanks, empty lines, and comments. */
const leading = /^(?:\t|\/\/[^\n]*\n?|\s+)/;
const symbol = /#([\w()/!<>\-\s,.]+)#/y;
const words = /"([^;|"<>[\]#{}]*)"|([^;|"<>[\]#{}]+)/y;
const braces = /(\[?)\{(?:#([\w()/!<>\-\s,.]+)#|([^|[\]{}\n<>#]+))\s*(?:\|([^;|{}\n[\]#]+))?\}(\]?)/y;

/**
 * Reads a text such as `You see [{o.name | in(o:object, r:receptacle)}].` Like the original's, this parser stops without
 * a word where it does not understand what follows, and the text ends there.
 */
export function readParts(text: string): readonly Part[] {
  let rest = text;
  for (let match = leading.exec(rest); match !== null; match = leading.exec(rest)) rest = rest.slice(match[0].length);
  const parts: Part[] = [];
  let place = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = place;
    const match = pattern.exec(rest);
    if (match !== null) place = pattern.lastIndex;
    return match;
  };
  while (place < rest.length) {
    const before = place;
    const inBraces = take(braces);
    if (inBraces !== null) {
      const [, open = '', name, expression = '', given, close = ''] = inBraces;
      if ((open === '') !== (close === '')) {
        // `[{...}` without its end is not understood; a bracket after `{...}` is not part of it.
        if (open !== '') break;
        place -= 1;
      }
      const item: Item =
        name === undefined
          ? { kind: 'value', expression: readTextValue(expression.trim()) }
          : { kind: 'symbol', symbol: name };
      const query = given === undefined ? undefined : parseQuery(given);
      parts.push({ kind: 'each', item, query, isList: open !== '' });
      continue;
    }
    const named = take(symbol);
    if (named !== null) {
      parts.push({ kind: 'symbol', symbol: named[1] as string });
      continue;
    }
    const plain = take(words);
    if (plain !== null) parts.push({ kind: 'words', words: (plain[1] ?? plain[2] ?? '').replaceAll('\\n', '\n') });
    if (place === before) break;
  }
  return parts;
}
