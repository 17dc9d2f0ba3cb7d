import { isKeyMap } from '../config/recipe-layer.js';
import type { Json, JsonObject } from '../contracts/json.js';

/** A key at which two recipes differ. A value is undefined if that recipe lacks the key. */
export interface RecipeDifference {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Options that may differ in a resumed run. */
export interface FreeOptions {
  readonly policy: readonly string[];
  /** By names of rewards. */
  readonly rewards: ReadonlyMap<string, readonly string[]>;
}

/**
 * The first key at which two resolved recipes differ, in the order of the keys of the first. Their `description` and
 * `tracking` do not count, as they change no number, and neither does where a sampler is. The order of keys matters only in `stages`.
 *
 * @param free options that do not count either
 */
export function recipeDifference(before: Json, after: Json, free?: FreeOptions): RecipeDifference | undefined {
  return firstDifference(compared(before, free), compared(after, free), '');
}

/** A recipe without what may change during a run. */
function compared(recipe: Json, free: FreeOptions = { policy: [], rewards: new Map() }): Json {
  // The description is for readers, and trackers only show the run.
  const rest = withComparedRewards(without(recipe, ['description', 'tracking']), free.rewards);
  const policy = isKeyMap(rest) ? rest['policy'] : undefined;
  if (policy === undefined || !isKeyMap(policy)) return rest;
  const { options = null, sampler = null } = policy;
  const kept = {
    ...policy,
    ...(options && { options: without(options, free.policy) }),
    // A server may be started again elsewhere.
    ...(sampler && { sampler: without(sampler, ['address', 'folder']) }),
  };
  return { ...(rest as JsonObject), policy: kept };
}

/** The rewards of the recipe, and those of its environments and stages, without free options. */
function withComparedRewards(value: Json, free: FreeOptions['rewards']): Json {
  if (!isKeyMap(value) || free.size === 0) return value;
  const { environments = null, reward = null, stages = null } = value;
  const inEach = (owners: Json): Json =>
    isKeyMap(owners)
      ? Object.fromEntries(Object.entries(owners).map(([name, owner]) => [name, withComparedRewards(owner, free)]))
      : owners;
  const termOf = (term: Json): Json =>
    isKeyMap(term) && typeof term['name'] === 'string'
      ? { ...term, options: without(term['options'] ?? null, free.get(term['name']) ?? []) }
      : term;
  return {
    ...value,
    ...(environments && { environments: inEach(environments) }),
    ...(stages && { stages: inEach(stages) }),
    ...(isKeyMap(reward) &&
      Array.isArray(reward['terms']) && { reward: { ...reward, terms: reward['terms'].map(termOf) } }),
  } as Json;
}

/** A map without some of its keys. Anything else stays. */
function without(value: Json, keys: readonly string[]): Json {
  if (!isKeyMap(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function firstDifference(before: Json, after: Json, path: string): RecipeDifference | undefined {
  if (!isKeyMap(before) || !isKeyMap(after)) {
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
