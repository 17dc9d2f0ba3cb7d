import type { Json } from '../contracts/json.js';

/** A key at which two recipes differ. A value is undefined if that recipe lacks the key. */
export interface RecipeDifference {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * The first key at which two resolved recipes differ, in the order of the keys of the first. Their `description` and
 * `tracking` do not count, as they change no number, and neither does where a sampler is. The order of keys matters only in `stages`.
 *
 * @param free options of the policy that do not count either
 */
export function recipeDifference(
  before: Json,
  after: Json,
  free: readonly string[] = [],
): RecipeDifference | undefined {
  const compared = (recipe: Json) => withoutPlace(withoutOptions(withoutRemarks(recipe), free));
  return firstDifference(compared(before), compared(after), '');
}

function withoutOptions(recipe: Json, names: readonly string[]): Json {
  if (!isMap(recipe) || !isMap(recipe['policy'] ?? null)) return recipe;
  const policy = recipe['policy'] as { readonly [key: string]: Json };
  const options = policy['options'] ?? null;
  if (!isMap(options)) return recipe;
  const counted = Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
  return { ...recipe, policy: { ...policy, options: counted } };
}

/** A server may be started again elsewhere. */
function withoutPlace(recipe: Json): Json {
  if (!isMap(recipe) || !isMap(recipe['policy'] ?? null)) return recipe;
  const policy = recipe['policy'] as { readonly [key: string]: Json };
  const sampler = policy['sampler'] ?? null;
  if (!isMap(sampler)) return recipe;
  const { address: _, folder: __, ...rest } = sampler;
  return { ...recipe, policy: { ...policy, sampler: rest } };
}

/** The description is for readers, and trackers only show the run: both may change during it. */
function withoutRemarks(recipe: Json): Json {
  if (!isMap(recipe)) return recipe;
  const { description: _, tracking: __, ...rest } = recipe;
  return rest;
}

function firstDifference(before: Json, after: Json, path: string): RecipeDifference | undefined {
  if (!isMap(before) || !isMap(after)) {
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      return before.some((item: Json, i) => firstDifference(item, after[i] as Json, path))
        ? { path, before, after }
        : undefined;
    }
    return Object.is(before, after) ? undefined : { path, before, after };
  }
  const keys = Object.keys(before);
  const newKeys = Object.keys(after).filter((key) => !(key in before));
  for (const key of [...keys, ...newKeys]) {
    const inner = path === '' ? key : `${path}.${key}`;
    const [old, now] = [before[key], after[key]];
    if (old === undefined || now === undefined) {
      if (old === now) continue;
      return { path: inner, before: old, after: now };
    }
    const found = firstDifference(old, now, inner);
    if (found !== undefined) return found;
  }
  if (path === 'stages' && keys.join('\n') !== Object.keys(after).join('\n')) {
    return { path, before: keys, after: Object.keys(after) };
  }
  return undefined;
}

/** "`algorithm.groupSize` is 16 there and 8 here". */
export function describeDifference({ path, before, after }: RecipeDifference): string {
  const show = (value: Json | undefined) => (value === undefined ? 'absent' : JSON.stringify(value));
  return `\`${path || 'the whole recipe'}\` is ${show(before)} there and ${show(after)} here`;
}

function isMap(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
