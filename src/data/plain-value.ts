import { isUtf8 } from 'node:buffer';

/**
 * A value of a flat column of Parquet as JSON has it. Times become texts in ISO 8601. NaN becomes null: in a column of
 * numbers nothing else says that a value is missing. Whole numbers beyond 53 bits stay, and texts stay bytes.
 */
export function plainScalar(value: unknown): unknown {
  if (value === undefined || (typeof value === 'number' && Number.isNaN(value))) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return value instanceof Date ? value.toISOString() : value;
}

/** Any value of Parquet as JSON has it. It becomes a symbol that says why if it holds something that JSON lacks. */
export function plainValue(value: unknown): unknown {
  const scalar = plainScalar(value);
  if (typeof scalar === 'bigint') return tooLong;
  if (typeof scalar !== 'object' || scalar === null) return scalar;
  if (scalar instanceof Uint8Array) return textOf(scalar) ?? invalidText;
  if (Array.isArray(scalar) || ArrayBuffer.isView(scalar)) {
    const members = Array.from(scalar as ArrayLike<unknown>, plainValue);
    return members.find(isSymbol) ?? members;
  }
  const members = Object.entries(scalar).map(([name, member]) => [name, plainValue(member)] as const);
  return members.find(([, member]) => isSymbol(member))?.[1] ?? Object.fromEntries(members);
}

/** The text of bytes in UTF-8; undefined if they are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const tooLong = Symbol('a whole number of more than 53 bits');
const invalidText = Symbol('a text that is not valid UTF-8');

function isSymbol(value: unknown): boolean {
  return typeof value === 'symbol';
}
