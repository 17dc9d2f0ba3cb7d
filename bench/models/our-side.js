// Our side: the policy from the built packages with a model from a folder, created as for a recipe.
import { lossInputs, lossOperations } from '../../dist/credit/loss-operations.js';
import { Instances } from '../../dist/experiments/instances.js';
import { createRandom } from '../../dist/random/create-random.js';
import { hostSettings } from '../engine/our-side.js';

const whole = { temperature: 1, topP: 1, topK: 0 };

export function openPolicy(host, folder, options, maxTokens) {
  const context = { from: folder, corpus: noTexts, valueHead: false, maxTokens };
  return new Instances(host, hostSettings(1)).policy({ name: 'transformer', options }, context);
}

async function* noTexts() {}

/** Draws `fresh` tokens of every row after a cached prompt. `before` reads the prompts. No episode ends early. */
export function decodeWork(policy, vocabulary, { rows, prompt, fresh }) {
  const random = createRandom(3);
  let round = 0;
  let requests = [];
  return {
    before: async () => {
      policy.release(requests.map(({ sequence }) => sequence));
      round += 1;
      requests = Array.from({ length: rows }, (_, row) => ({
        tokens: randomTokens(random, vocabulary, prompt - 1),
        sequence: `decode.${round}.${row}`,
        endIds: [],
        maxTokens: 1,
        draws: Float64Array.of(0.5),
      }));
      const answers = await policy.generate(requests, whole);
      requests = requests.map((request, row) => ({
        ...request,
        tokens: [...request.tokens, ...answers[row].tokens],
        maxTokens: fresh,
        draws: Float64Array.from({ length: fresh }, () => 1 - random.uniform()),
      }));
    },
    run: async () => {
      const answers = await policy.generate(requests, whole);
      if (answers.some(({ tokens }) => tokens.length !== fresh)) throw new Error('an episode ended early');
    },
  };
}

/** Reads a prompt and draws one token after it. */
export function prefillWork(policy, vocabulary, { rows, prompt }) {
  const random = createRandom(4);
  let round = 0;
  const run = async () => {
    round += 1;
    const requests = Array.from({ length: rows }, (_, row) => ({
      tokens: randomTokens(random, vocabulary, prompt),
      sequence: `prefill.${round}.${row}`,
      endIds: [],
      maxTokens: 1,
      draws: Float64Array.of(1 - random.uniform()),
    }));
    await policy.generate(requests, whole);
    policy.release(requests.map(({ sequence }) => sequence));
  };
  return { run };
}

/** One training step. Every token but the first of a row is trained on. */
export async function loraWork(policy, vocabulary, { rows, width }) {
  const random = createRandom(2);
  const size = rows * width;
  const sampled = (index) => index % width > 0;
  const zeros = () => new Float64Array(size);
  const batch = {
    rows,
    width,
    tokens: Int32Array.from(randomTokens(random, vocabulary, size)),
    length: new Int32Array(rows).fill(width),
    mask: Uint8Array.from({ length: size }, (_, index) => Number(sampled(index))),
    turn: Int32Array.from({ length: size }, (_, index) => (sampled(index) ? 0 : -1)),
    weight: Float64Array.from({ length: size }, (_, index) => (sampled(index) ? 1 / (rows * (width - 1)) : 0)),
    logprobs: zeros(),
    rewards: zeros(),
    advantages: zeros(),
    group: Int32Array.from({ length: rows }, (_, row) => row),
    truncated: new Uint8Array(rows),
    bootstrapValue: new Float64Array(rows),
    temperature: 1,
  };
  const loss = { terms: { cross_entropy: lossOperations.sub(lossOperations.constant(0), lossInputs.logprob) } };
  await policy.resetOptimizer({ name: 'adamw', options: {} });
  const run = async () => {
    await policy.forwardBackward(batch, loss);
    await policy.optimizerStep({ learningRate: 1e-3, clipNorm: 1 });
  };
  return { run };
}

function randomTokens(random, vocabulary, count) {
  return Array.from({ length: count }, () => random.integer(0, vocabulary));
}
