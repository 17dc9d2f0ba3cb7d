// Lets `toEqual` compare large arrays of numbers quickly. Vitest goes through them element by element, which takes a
// second for the gradients of a small model. Where two arrays differ, its own comparison tells where.
import { expect } from 'vitest';

const state = globalThis as { areArraysComparedQuickly?: boolean };

// Files share their process, and this one runs before each of them.
if (!state.areArraysComparedQuickly) {
  state.areArraysComparedQuickly = true;
  expect.addEqualityTesters([(a, b) => (isArray(a) && isArray(b) && haveSameNumbers(a, b) ? true : undefined)]);
}

const isArray = (value: unknown): value is Float64Array => ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Tells 0 from -0, and finds two NaN the same, as `toEqual` does. */
function haveSameNumbers(a: Float64Array, b: Float64Array): boolean {
  return a.constructor === b.constructor && a.length === b.length && a.every((x, i) => Object.is(x, b[i]));
}
