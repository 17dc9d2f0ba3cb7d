import type { Json } from '../contracts/json.js';
import { shortKey } from '../reporting/short-key.js';
import { isSelfExplanatory, shownSetting, shownValues } from '../reporting/shown-values.js';

/** A setting of compared runs, with what its name is made from. */
export interface NamedSetting {
  /** Its values at the keys that differ; null if its recipe lacks the key. */
  readonly values: { readonly [key: string]: Json };
  /** The names that a user gave its runs; undefined for a run without a name. */
  readonly given: readonly (string | undefined)[];
}

/**
 * A short, distinct name for each setting: the name that a user gave all its runs, else what differs. Names of
 * contributions come first, because they say more than the options that follow from them. Settings that are still alike
 * get one more key that differs.
 */
export function nameSettings(settings: readonly NamedSetting[]): string[] {
  const described = describeDifferences(settings.map(({ values }) => values));
  const names = settings.map(({ given }, i) => {
    const [name] = given;
    return name !== undefined && given.every((other) => other === name) ? name : (described[i] ?? '');
  });
  const isAlike = (name: string, i: number) => names.some((other, j) => other === name && j !== i);
  const told = names.map((name, i) => (isAlike(name, i) && described[i] !== name ? `${name}, ${described[i]}` : name));
  return uniqueNames(told, (i) => `setting ${i + 1}`);
}

/** Adds a text to each name that is not the first of its kind. */
export function uniqueNames(names: readonly string[], addition: (index: number) => string): string[] {
  return names.map((name, i) => (names.indexOf(name) === i ? name : `${name} (${addition(i)})`));
}

function describeDifferences(settings: readonly NamedSetting['values'][]): string[] {
  const keys = Object.keys(settings[0] ?? {});
  if (keys.length === 0) return settings.map(() => 'all seeds');
  const columns = new Map(keys.map((key) => [key, shownValues(settings.map((one) => one[key]))]));
  const part = (key: string, i: number): string => {
    const text = columns.get(key)?.[i] ?? '';
    const isName = isSelfExplanatory(key, settings[i]?.[key]);
    return isName ? text : shownSetting(shortKey(key, keys), text);
  };
  const isPresent = (key: string, i: number) => settings[i]?.[key] !== null && settings[i]?.[key] !== undefined;
  const named = keys.filter((key) => settings.some((one) => isSelfExplanatory(key, one[key])));
  const chosen = named.length > 0 ? named : keys.slice(0, 3);
  const labels = settings.map((_, i) => {
    const there = chosen.filter((key) => isPresent(key, i));
    return (there.length > 0 ? there : chosen.slice(0, 1)).map((key) => part(key, i)).join(', ');
  });
  // Each round names one more key of the settings that still share a name.
  for (const _ of keys) {
    const shared = labels.map((label, i) => labels.flatMap((other, j) => (other === label && j !== i ? [j] : [])));
    if (shared.every(({ length }) => length === 0)) break;
    const before = [...labels];
    for (const [i, namesakes] of shared.entries()) {
      const own = (key: string, of: number) => columns.get(key)?.[of];
      const telling =
        keys.find((key) => namesakes.every((j) => own(key, j) !== own(key, i))) ??
        keys.find((key) => namesakes.some((j) => own(key, j) !== own(key, i)) && !before[i]?.includes(part(key, i)));
      if (namesakes.length > 0 && telling !== undefined) labels[i] = `${before[i]}, ${part(telling, i)}`;
    }
  }
  return labels;
}
