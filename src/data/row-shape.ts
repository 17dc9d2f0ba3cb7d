import { isUtf8 } from 'node:buffer';

import type { DataColumns, DataType } from '../contracts/data-set.js';
import type { Json } from '../contracts/json.js';
import { textOf } from './plain-value.js';
import type { RawRow } from './rows.js';

/** What a column must hold. `label`: a text or a number. */
export interface ColumnShape {
  readonly name: string;
  readonly type: DataType | 'label';
  /** The value may be missing or null. */
  readonly optional: boolean;
}

/** A row that is not as declared. The message lacks its subject, the row. */
export class ShapeError extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The shapes of declared columns. */
export function shapesOf(columns: DataColumns): readonly ColumnShape[] {
  return Object.entries(columns).map(([name, declared]) => ({
    name,
    type: declared.replace('?', '') as DataType,
    optional: declared.endsWith('?'),
  }));
}

/** Throws ShapeError if the value of a column is missing and must not be, or is of another type. */
export function checkValue(row: RawRow, { name, type, optional }: ColumnShape): void {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  if (value === undefined || value === null) {
    if (optional) return;
    if (value === null) {
      throw new ShapeError(`has no value in the column "${name}"`, `Fill it, or declare the column as "${type}?".`);
    }
    throw new ShapeError(`has no column "${name}"`, `Its columns are ${Object.keys(row).join(', ') || 'none'}.`);
  }
  if (fits(value, type)) return;
  throw new ShapeError(
    `has ${kindOf(value)} in the column "${name}", not ${kinds[type]}`,
    'Correct the row, or declare the column with the type that it has.',
  );
}

function fits(value: unknown, type: ColumnShape['type']): boolean {
  const isText = typeof value === 'string' || (value instanceof Uint8Array && isUtf8(value));
  switch (type) {
    case 'string':
      return isText;
    case 'label':
      return isText || typeof value === 'number';
    case 'json':
      return isText || !(typeof value === 'symbol' || typeof value === 'bigint' || value instanceof Uint8Array);
    case 'number':
    case 'boolean':
      return typeof value === type;
  }
}

/** The value of a column, null if it is missing and may be. Throws as `checkValue` does. */
export function valueOf(row: RawRow, shape: ColumnShape): Json {
  checkValue(row, shape);
  const value = Object.hasOwn(row, shape.name) ? row[shape.name] : undefined;
  return (value instanceof Uint8Array ? textOf(value) : (value ?? null)) as Json;
}

/** What a column says about a row, its id or its part: a text that is not empty, or a whole number as text. */
export function nameIn(row: RawRow, column: string, what: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  const text = value instanceof Uint8Array ? textOf(value) : value;
  if (typeof text === 'string' && text !== '') return text;
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  throw new ShapeError(
    `has ${text === '' ? 'an empty text' : kindOf(value)} in the column "${column}", which gives ${what}`,
    'Give every row a text or a whole number there, or name no such column.',
  );
}

const kinds = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  json: 'a value of JSON',
  label: 'a text or a number',
} as const;

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'no value';
  if (value instanceof Uint8Array) return isUtf8(value) ? kinds.string : 'a text that is not valid UTF-8';
  if (typeof value === 'symbol') return value.description ?? 'an unknown value';
  if (typeof value === 'bigint') return 'a whole number of more than 53 bits';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return kinds[typeof value as keyof typeof kinds];
}
