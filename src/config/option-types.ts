import type { NumberOption, OptionDeclaration } from '../contracts/options.js';

/** A value that options hold, alone or in a list. */
interface ItemType {
  /** One value in words. */
  readonly one: string;
  readonly several: string;
  /** Its type in JSON Schema. */
  readonly json: 'boolean' | 'integer' | 'number' | 'string';
  readonly holds: (value: unknown) => boolean;
}

const boolean: ItemType = {
  one: 'true or false',
  several: 'true or false',
  json: 'boolean',
  holds: (value) => typeof value === 'boolean',
};
const integer: ItemType = {
  one: 'a whole number',
  several: 'whole numbers',
  json: 'integer',
  holds: Number.isSafeInteger,
};
const number: ItemType = { one: 'a number', several: 'numbers', json: 'number', holds: Number.isFinite };
const string: ItemType = { one: 'text', several: 'texts', json: 'string', holds: (value) => typeof value === 'string' };

/** What options of each type hold. The words of a choice are its own. */
export const optionTypes: {
  readonly [type in OptionDeclaration['type']]: { readonly item: ItemType; readonly isList: boolean };
} = {
  boolean: { item: boolean, isList: false },
  integer: { item: integer, isList: false },
  number: { item: number, isList: false },
  string: { item: string, isList: false },
  choice: { item: string, isList: false },
  integers: { item: integer, isList: true },
  numbers: { item: number, isList: true },
  strings: { item: string, isList: true },
};

/** The limits that options of numbers may have. */
export type OptionLimits = Partial<Pick<NumberOption, 'minimum' | 'maximum' | 'exclusiveMinimum'>> & {
  /** Of a list. */
  readonly length?: number;
};
