import { createRandom } from '../../dist/random/create-random.js';

const whole = { temperature: 1, topP: 1, topK: 0 };

/** Draws `fresh` tokens of every row after a cached prompt. `before` reads the prompts. No episode ends early. */
export function decodeAfterPrompt(policy, { vocabulary, rows, prompt, fresh }) {
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

function randomTokens(random, vocabulary, count) {
  return Array.from({ length: count }, () => random.integer(0, vocabulary));
}
