import { countTry } from '../engine/effort.js';
import type { TextValue } from './expression.js';
import { introSymbol, type Grammar, type Production } from './grammar.js';
import type { Part } from './parts.js';
import { isMet, search, type Bindings, type ToldFacts } from './query.js';

/** What a text may say about a thing. */
export interface Printed {
  readonly name: string;
  readonly id: string;
  readonly type: string;
}

export interface Telling {
  readonly grammar: Grammar;
  readonly facts: ToldFacts;
  printed(thing: number): Printed;
}

/** The text of a symbol's first production whose condition holds; empty if none does. */
function deriveSymbol(symbol: string, bindings: Bindings, telling: Telling): string {
  const rules = telling.grammar.productions.get(symbol) as readonly Production[];
  const rule = rules.find(({ condition }) => condition === undefined || isMet(condition, bindings, telling.facts));
  return rule === undefined ? '' : derive(rule.parts, bindings, telling);
}

/** The text of the parts, with things for the variables. */
export function derive(parts: readonly Part[], bindings: Bindings, telling: Telling): string {
  let text = '';
  for (const part of parts) {
    countTry();
    switch (part.kind) {
      case 'words':
        text += part.words;
        break;
      case 'symbol':
        text += deriveSymbol(part.symbol, bindings, telling);
        break;
      case 'value':
        text += evaluate(part.expression, bindings, telling);
        break;
      case 'each': {
        const items: string[] = [];
        const add = (values: Bindings) => items.push(derive([part.item], values, telling));
        if (part.query === undefined) add(bindings);
        else search(part.query, bindings, telling.facts, (values) => (add(values), false));
        text += part.isList ? joinList(items, telling) : items.join('');
      }
    }
  }
  return text;
}

/** The first text of a game. */
export function deriveIntro(telling: Telling): string {
  return deriveSymbol(introSymbol, new Map(), telling);
}

function joinList(items: readonly string[], telling: Telling): string {
  const separator = (symbol: string) => deriveSymbol(symbol, new Map(), telling);
  if (items.length === 0) return separator('list_empty');
  if (items.length === 1) return items[0] as string;
  const last = items.at(-1) as string;
  return items.slice(0, -1).join(separator('list_separator')) + separator('list_last_separator') + last;
}

function evaluate(expression: TextValue, bindings: Bindings, telling: Telling): string {
  for (const sum of expression) {
    const text = sum
      .map((operand) => {
        if ('words' in operand) return operand.words;
        const thing = thingNamed(operand.variable, bindings);
        if (thing === undefined) return '';
        if (operand.field === 'indefinite') return 'a';
        return operand.field === 'definite' ? 'the' : telling.printed(thing)[operand.field];
      })
      .join('');
    if (text !== '') return text;
  }
  return '';
}

/** Of two variables with one name and different types, the later one counts. */
function thingNamed(name: string, bindings: Bindings): number | undefined {
  let found: number | undefined;
  for (const [key, thing] of bindings) if (key.startsWith(name) && key[name.length] === ':') found = thing;
  return found;
}
