// Our side: the policy from the built packages, created as for a recipe.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { lossInputs, lossOperations } from '../../dist/credit/loss-operations.js';
import { Instances } from '../../dist/experiments/instances.js';
import { openPluginHost } from '../../dist/plugins/open-plugin-host.js';
import { readPluginSource } from '../../dist/plugins/plugin-source.js';
import { createRandom } from '../../dist/random/create-random.js';
import { cacheDirectory } from './python-environment.js';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const plugins = [
  'env-guess-number',
  'curriculum-standard',
  'reward-standard',
  'format-standard',
  'algo-grpo',
  'policy-transformer',
];

export async function openHost(names = plugins) {
  return openPluginHost(await Promise.all(names.map((name) => readPluginSource(join(root, 'plugins', name)))));
}

export function hostSettings(seed) {
  const log = { info: (line) => console.error(line), warn: (line) => console.error(line) };
  return { random: createRandom(seed), log, signal: new globalThis.AbortController().signal, cacheDirectory };
}

/** A policy from scratch whose vocabulary has exactly `vocabulary` tokens, most of them invented words. */
export async function makePolicy(host, { preset, vocabulary, threads, maxTokens }) {
  // The other 40 tokens: the end token, the unknown character, the blank, ten digits, the letters, and the word of all
  // letters.
  const words = Array.from({ length: vocabulary - 40 }, (_, index) => {
    const letters = [index, Math.floor(index / 26), Math.floor(index / 676)].map((n) =>
      String.fromCharCode(97 + (n % 26)),
    );
    return letters.join('');
  });
  async function* corpus() {
    yield* await Promise.resolve(['abcdefghijklmnopqrstuvwxyz', ...words]);
  }
  const context = { preset, corpus, valueHead: false, maxTokens };
  return new Instances(host, hostSettings(1)).policy({ name: 'transformer', options: { threads } }, context);
}

/** Sampled tokens of each episode. Ragged: from one to all, so that episodes have half of the longest length on average. */
export function sampledLengths({ prompt, fresh, episodes, ragged = false }) {
  if (!ragged) return Array(episodes).fill(fresh);
  // The mean of share ** p is 1 / (p + 1).
  const power = fresh / ((prompt + fresh) / 2 - prompt) - 1;
  return Array.from({ length: episodes }, (_, row) => {
    const share = episodes === 1 ? 1 : row / (episodes - 1);
    return Math.max(1, Math.round(fresh * share ** power));
  });
}

/** Returns a function that does one training step on episodes whose last `fresh` tokens are trained. */
export async function trainWork(policy, { vocabulary, prompt, fresh, episodes, ragged }) {
  const random = createRandom(2);
  const lengths = sampledLengths({ prompt, fresh, episodes, ragged });
  const sequences = lengths.map((length) =>
    Array.from({ length: prompt + length }, () => random.integer(0, vocabulary)),
  );
  return trainStep(policy, { sequences, width: prompt + fresh, trained: lengths });
}

/**
 * Returns a function that does one training step.
 * @param trained how many tokens at the end of each sequence are trained on
 */
export async function trainStep(policy, { sequences, width, trained }) {
  const rows = sequences.length;
  const size = rows * width;
  const all = trained.reduce((sum, count) => sum + count, 0);
  const zeros = () => new Float64Array(size);
  const batch = {
    ...{ rows, width, tokens: new Int32Array(size), mask: new Uint8Array(size), turn: new Int32Array(size).fill(-1) },
    length: Int32Array.from(sequences, ({ length }) => length),
    weight: zeros(),
    logprobs: zeros(),
    rewards: zeros(),
    advantages: zeros(),
    group: Int32Array.from({ length: rows }, (_, row) => row),
    truncated: new Uint8Array(rows),
    bootstrapValue: new Float64Array(rows),
    temperature: 1,
  };
  for (const [row, sequence] of sequences.entries()) {
    batch.tokens.set(sequence, row * width);
    const [from, to] = [row * width + sequence.length - trained[row], row * width + sequence.length];
    batch.mask.fill(1, from, to);
    batch.turn.fill(0, from, to);
    batch.weight.fill(1 / all, from, to);
  }
  const loss = { terms: { cross_entropy: lossOperations.sub(lossOperations.constant(0), lossInputs.logprob) } };
  await policy.resetOptimizer({ name: 'adamw', options: {} });
  return async () => {
    await policy.forwardBackward(batch, loss);
    await policy.optimizerStep({ learningRate: 1e-3, clipNorm: 1 });
  };
}

/** Returns a function that generates all episodes once. No episode ends early. */
export function decodeWork(policy, { vocabulary, prompt, fresh, episodes }) {
  const random = createRandom(3);
  let round = 0;
  return async () => {
    round += 1;
    const requests = Array.from({ length: episodes }, (_, row) => ({
      tokens: Array.from({ length: prompt }, () => random.integer(0, vocabulary)),
      sequence: `${round}.${row}`,
      endIds: [],
      maxTokens: fresh,
      draws: Float64Array.from({ length: fresh }, () => 1 - random.uniform()),
    }));
    const answers = await policy.generate(requests, { temperature: 1, topP: 1, topK: 0 });
    policy.release(requests.map(({ sequence }) => sequence));
    if (answers.some(({ tokens }) => tokens.length !== fresh)) throw new Error('an episode ended early');
  };
}
