import { outsideFiles } from '../../../dist/files/outside-files.js';
import { readSource } from '../../../plugins/policy-transformer/dist/checkpoint/safetensors.js';
import { weightSources } from '../../../plugins/policy-transformer/dist/checkpoint/weight-files.js';

/** All weights of a model's folder, with their shapes, by name. */
export async function weightsOf(folder) {
  const weights = new Map();
  for (const [name, source] of await weightSources(outsideFiles, folder)) {
    weights.set(name, { shape: source.shape, data: await readSource(source) });
  }
  return weights;
}
