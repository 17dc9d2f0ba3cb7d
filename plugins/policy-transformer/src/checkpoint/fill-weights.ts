import { HEAD } from '../model/parameters.js';
import { type HostTensor, readInto, type TensorSource } from './safetensors.js';

/** Weights that folders may have although the decoder does not read them. */
const harmless = /(^|\.)rotary_emb\.inv_freq$|\.masked_bias$/;

/** The place of a weight: its shape, and where its numbers belong. */
export type WeightPlace = HostTensor;

/**
 * Reads each weight straight into its place, without a second copy. Throws an error that names the weight if one is missing,
 * has another shape or is not a number, or if the decoder does not have it.
 *
 * @param places by name, such as `model.embed_tokens.weight`
 */
export async function fillWeights(
  weights: ReadonlyMap<string, TensorSource>,
  places: ReadonlyMap<string, WeightPlace>,
): Promise<void> {
  checkWeightShapes(weights, new Map([...places].map(([name, { shape }]) => [name, shape])));
  for (const [name, { data }] of places) {
    await readInto(data, weights.get(name)!);
    refuseNotFinite(name, data);
  }
}

/** Checks the names and shapes of a folder's weights. Throws like `fillWeights`. */
export function checkWeightShapes(
  given: ReadonlyMap<string, { readonly shape: readonly number[] }>,
  wanted: ReadonlyMap<string, readonly number[]>,
): void {
  for (const [name, shape] of wanted) refuseShape(name, given.get(name)?.shape, shape);
  for (const name of given.keys()) if (!wanted.has(name)) refuseUnknown(name);
}

/** Throws if a number of a weight is not finite. */
export function refuseNotFinite(name: string, data: Float32Array): void {
  for (let index = 0; index < data.length; index += 1) {
    // Only a finite number minus itself is 0. This is faster than a function for each number.
    if (data[index]! - data[index]! === 0) continue;
    throw new Error(
      `${name} contains ${data[index]} at place ${index}: the weights are damaged or diverged in training`,
    );
  }
}

function refuseShape(name: string, given: readonly number[] | undefined, wanted: readonly number[]): void {
  if (given === undefined) throw new Error(`the folder lacks ${name}, which has the shape ${shown(wanted)}`);
  if (shown(given) !== shown(wanted)) {
    throw new Error(`${name} has the shape ${shown(given)}, but config.json says ${shown(wanted)}`);
  }
}

/** A weight that is ignored would give other numbers than the model's authors saw. `matchHead` compares a head that is tied. */
function refuseUnknown(name: string): void {
  if (name === HEAD || harmless.test(name)) return;
  throw new Error(`the folder has the weight ${name}, which a model with this config.json does not have`);
}

function shown(shape: readonly number[]): string {
  return `[${shape.join(', ')}]`;
}
