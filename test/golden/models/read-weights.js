import { visitWeights } from '../../../plugins/policy-transformer/dist/checkpoint/weight-files.js';

/** All weights of a model's folder, with their shapes, by name. */
export async function weightsOf(folder) {
  const weights = new Map();
  await visitWeights(folder, (name, { shape, length, read }) => {
    const data = new Float32Array(length);
    weights.set(name, { shape, data });
    return read(data);
  });
  return weights;
}
