// Algorithms of the built plugins by name, for checks outside the plugins.
import { optionDefaults, testHost } from '../dist/testing/index.js';

const known = new Map();

/**
 * An algorithm of a plugin in this repository, which must be built. Missing options have the plugin's defaults.
 *
 * @param {string} name of the contribution
 * @param {object} chosen options
 */
export async function loadAlgorithm(name, chosen = {}) {
  if (!known.has(name)) {
    const { default: contributions } = await import(`../plugins/algo-${name}/dist/index.js`);
    const contribution = contributions.find((one) => one.kind === 'algorithm' && one.name === name);
    known.set(name, { defaults: optionDefaults(contribution.options), module: await contribution.load() });
  }
  const { defaults, module } = known.get(name);
  for (const option of Object.keys(chosen)) {
    if (!(option in defaults)) throw new Error(`the algorithm ${name} has no option ${option}`);
  }
  return module.create({ ...defaults, ...chosen }, testHost());
}
