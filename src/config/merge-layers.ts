import { formatPath, isKeyMap, type KeyMap, type KeyPath, type RecipeLayer } from './recipe-layer.js';

/** Merged layers, with the layer of each key. */
export interface MergedLayers {
  readonly value: KeyMap;
  /** The layer that a key, or the nearest key above it, came from. */
  originOf(path: KeyPath): RecipeLayer | undefined;
  /** Nulls that should have removed an inherited key, but removed nothing. */
  readonly idleRemovals: readonly { readonly path: KeyPath; readonly layer: RecipeLayer }[];
}

type Tree = Record<string, unknown>;

/**
 * Merges recipes: maps are merged, everything else is replaced, null removes the lower value. If a layer selects
 * another thing (`name`, `schedule`, `kind`), the settings of lower layers for the former one are dropped.
 */
export function mergeLayers(layers: readonly RecipeLayer[]): MergedLayers {
  const value: Tree = {};
  const origins = new Map<string, RecipeLayer>();
  const idleRemovals: { path: KeyPath; layer: RecipeLayer }[] = [];

  const forget = (path: KeyPath) => {
    const own = formatPath(path);
    for (const key of [...origins.keys()]) {
      if (key === own || key.startsWith(`${own}.`) || key.startsWith(`${own}[`)) origins.delete(key);
    }
  };
  const drop = (tree: Tree, path: KeyPath, keys: readonly string[]) => {
    for (const key of keys) {
      delete tree[key];
      forget([...path, key]);
    }
  };
  const lay = (below: Tree, over: KeyMap, path: KeyPath, layer: RecipeLayer) => {
    for (const [key, item] of Object.entries(over)) {
      const here = [...path, key];
      if (item === undefined) continue;
      if (item === null && Object.hasOwn(below, key)) {
        drop(below, path, [key]);
      } else if (item === null && layer.origin === 'flag' && !path.includes('options')) {
        idleRemovals.push({ path: here, layer });
      } else if (isKeyMap(item)) {
        const inner = isKeyMap(below[key]) ? below[key] : {};
        drop(inner, here, replacedKeys(here, inner, item));
        set(below, key, inner);
        if (!origins.has(formatPath(here))) origins.set(formatPath(here), layer);
        lay(inner, item, here, layer);
      } else {
        // A new value has no earlier settings to drop; searching for them would visit every key.
        if (Object.hasOwn(below, key)) forget(here);
        set(below, key, item);
        origins.set(formatPath(here), layer);
      }
    }
  };
  for (const layer of layers) {
    const other = otherEnvironments(layer.value);
    if (other !== undefined && Object.hasOwn(value, other)) drop(value, [], [other]);
    lay(value, layer.value, [], layer);
  }

  return {
    value,
    idleRemovals,
    originOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const layer = origins.get(formatPath(path.slice(0, length)));
        if (layer !== undefined) return layer;
      }
      return layers.findLast(({ origin }) => origin !== 'flag');
    },
  };
}

/** The key that a layer replaces which names one environment, or several. Undefined: it names none, or both. */
function otherEnvironments({ environment, environments }: KeyMap): 'environment' | 'environments' | undefined {
  if ((environment === undefined) === (environments === undefined)) return undefined;
  return environment === undefined ? 'environment' : 'environments';
}

/** Keys of lower layers that belong to a selection that the upper layer replaces. */
function replacedKeys(path: KeyPath, below: KeyMap, over: KeyMap): readonly string[] {
  const changes = (key: string) => over[key] !== undefined && below[key] !== undefined && over[key] !== below[key];
  const key = path.at(-1);
  if (path.at(-2) === 'stages') return changes('kind') ? Object.keys(below) : [];
  if (path.at(-2) === 'transfer' || path.at(-2) === 'environments') return changes('name') ? ['options'] : [];
  if (key === 'horizon') return changes('schedule') ? Object.keys(below) : [];
  if (key === 'policy') {
    return [
      ...(changes('name') ? ['options', 'preset', 'from'] : []),
      ...('from' in over && !('preset' in over) ? ['preset'] : []),
      ...('preset' in over && !('from' in over) ? ['from'] : []),
    ];
  }
  if (key === 'demonstrations') {
    if ('file' in over) return ['expert', 'count', 'fileFormat'];
    return 'expert' in over && 'file' in below ? ['file', 'count', 'fileFormat', 'otherEnvironments'] : [];
  }
  if (key === 'sampler') return changes('name') ? ['options', 'address'] : [];
  return changes('name') && named.includes(String(key)) ? ['options'] : [];
}

/** Maps whose options belong to the name beside them. */
const named: readonly string[] = ['environment', 'format', 'algorithm', 'curriculum', 'optimizer'];

/** Defines the key itself, even if its name is `__proto__`. */
function set(tree: Tree, key: string, value: unknown): void {
  Object.defineProperty(tree, key, { value, enumerable: true, configurable: true, writable: true });
}
