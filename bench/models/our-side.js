// Our side: the policy from the built packages with a model from a folder, created as for a recipe.
import { Instances, noCorpus } from '../../dist/experiments/instances.js';
import { createRandom } from '../../dist/random/create-random.js';
import { decodeWork as generateWork, hostSettings, trainWork } from '../sides/our-side.js';

const whole = { temperature: 1, topP: 1, topK: 0 };

export function openPolicy(host, folder, options, maxTokens) {
  const context = { from: folder, corpus: noCorpus, valueHead: false, maxTokens };
  return new Instances(host, hostSettings(1)).policy({ name: 'transformer', options }, context);
}

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
  return { run: generateWork(policy, { vocabulary, prompt, fresh: 1, episodes: rows }) };
}

/** One training step. Every token but the first of a row is trained on. */
export async function loraWork(policy, vocabulary, { rows, width }) {
  return { run: await trainWork(policy, { vocabulary, prompt: 1, fresh: width - 1, episodes: rows }) };
}

function randomTokens(random, vocabulary, count) {
  return Array.from({ length: count }, () => random.integer(0, vocabulary));
}
