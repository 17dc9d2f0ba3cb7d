import type { Amount } from './crafting-book.js';
import type { ItemNames } from './item-names.js';

/** A named amount as written; `name` is undefined if the text does not name an item. */
export interface WrittenAmount {
  readonly text: string;
  readonly name: string | undefined;
  readonly count: number;
}

/** The command in an action. */
export type Command =
  | { readonly kind: 'inventory' }
  | { readonly kind: 'get'; readonly item: WrittenAmount }
  | { readonly kind: 'craft'; readonly output: WrittenAmount; readonly ingredients: readonly WrittenAmount[] }
  /** A craft command with an ingredient that is not an amount of an item. */
  | { readonly kind: 'misspelt'; readonly ingredient: string }
  | { readonly kind: 'unknown' };

/** Longest action that is parsed. The longest useful action has about 150 characters. */
const longestAction = 1_000;

/** One to four digits, because larger amounts are never needed. The original accepts any number, also 0. */
const counted = /^0*([1-9]\d{0,3}) (.*)$/;

function readAmount(text: string, names: ItemNames): WrittenAmount | undefined {
  const match = counted.exec(text);
  if (match === null) return undefined;
  const name = match[2] ?? '';
  return { text: name, name: names.read(name), count: Number(match[1]) };
}

/**
 * Reads one action. The whole text must follow the original's grammar: `craft [N] ITEM using N ITEM, N ITEM ...`,
 * `get N ITEM` or `inventory`, with small letters, single spaces and one command.
 */
export function readCommand(action: string, names: ItemNames): Command {
  if (action.length > longestAction) return { kind: 'unknown' };
  if (action === 'inventory') return { kind: 'inventory' };
  if (action.startsWith('get ')) {
    const item = readAmount(action.slice('get '.length), names);
    return item === undefined ? { kind: 'unknown' } : { kind: 'get', item };
  }
  const craft = /^craft (.*) using (.*)$/.exec(action);
  if (craft === null) return { kind: 'unknown' };
  const [, made = '', used = ''] = craft;
  const output = readAmount(made, names) ?? { text: made, name: names.read(made), count: 1 };
  const ingredients: WrittenAmount[] = [];
  for (const part of used.split(',')) {
    const ingredient = readAmount(part.trim(), names);
    if (ingredient === undefined) return { kind: 'misspelt', ingredient: part.trim() };
    ingredients.push(ingredient);
  }
  return { kind: 'craft', output, ingredients };
}

/** `craft 4 stick using 2 planks` */
export function writeCraft(output: Amount, ingredients: readonly Amount[], names: ItemNames): string {
  const parts = ingredients.map((ingredient) => writeAmount(ingredient, names));
  return `craft ${writeAmount(output, names)} using ${parts.join(', ')}`;
}

/** `2 oak planks` */
export function writeAmount({ name, count }: Amount, names: ItemNames): string {
  return `${count} ${names.write(name)}`;
}
