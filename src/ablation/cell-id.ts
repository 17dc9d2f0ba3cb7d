import type { Json } from '../contracts/json.js';
import type { CellSettings } from './ablation-plan.js';

/** `groupSize-8.clipHigh-0.28`: the last words of the keys with their values, as a folder may be called. */
export function cellId(settings: CellSettings, keys: readonly string[]): string {
  const lastWords = keys.map((key) => key.split('.').at(-1) ?? key);
  const parts = keys.map((key, index) => {
    const last = lastWords[index] ?? key;
    // Two keys that end alike are told apart by all of their words.
    const name = lastWords.filter((word) => word === last).length > 1 ? key.replaceAll('.', '-') : last;
    return `${name}-${valueName(settings[key] ?? null)}`;
  });
  return parts.join('.').slice(0, 120);
}

/** What was trained in one cell and tested in the environment of another: `width-8-12.on.width-20-31`. */
export function testedId(trained: string, tested: string): string {
  return `${trained}.on.${tested}`;
}

/** A value as part of a name: `0.5`, `sparse`, `8-27`; what is left of a map once the quotes are gone. */
export function valueName(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const name = text.replaceAll(/[^a-zA-Z0-9.]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return typeof value === 'number' && value < 0 ? `minus-${name}` : name || 'none';
}
