// Answers to questions: sampling them, and their log probabilities under a model.
import { createRandom } from '../../dist/random/create-random.js';

/** Tokens of an answer to each question at temperature 1, with the log probabilities of the sampler. */
export async function sampleAnswers(policy, rows, fresh) {
  const random = createRandom(5);
  const requests = rows.map((tokens, row) => ({
    tokens,
    sequence: `${row}`,
    endIds: policy.encoder.endIds,
    maxTokens: fresh,
    draws: Float64Array.from({ length: fresh }, () => 1 - random.uniform()),
  }));
  const answers = await policy.generate(requests, { temperature: 1, topP: 1, topK: 0 });
  policy.release(requests.map(({ sequence }) => sequence));
  return answers;
}

/** For each answer [tokens], the log probability of each token under the model. */
export async function logprobsOf(policy, rows, answers) {
  const batch = batchOf(rows, answers);
  const logprobs = await policy.logprobs(batch);
  return rows.map((asked, row) => {
    const start = row * batch.width + asked.length;
    return Array.from(logprobs.slice(start, start + answers[row].length));
  });
}

function batchOf(rows, answers) {
  const width = Math.max(...rows.map(({ length }, row) => length + answers[row].length));
  const size = rows.length * width;
  const numbers = Object.fromEntries(
    ['weight', 'logprobs', 'rewards', 'advantages'].map((name) => [name, new Float64Array(size)]),
  );
  const batch = {
    ...{ rows: rows.length, width, tokens: new Int32Array(size), mask: new Uint8Array(size), temperature: 1 },
    ...{ length: new Int32Array(rows.length), turn: new Int32Array(size).fill(-1), ...numbers },
    ...{ group: new Int32Array(rows.length), truncated: new Uint8Array(rows.length) },
    bootstrapValue: new Float64Array(rows.length),
  };
  for (const [row, asked] of rows.entries()) {
    const [start, end] = [asked.length, asked.length + answers[row].length].map((place) => row * width + place);
    batch.tokens.set([...asked, ...answers[row]], row * width);
    batch.length[row] = end - row * width;
    batch.mask.fill(1, start, end);
    batch.turn.fill(0, start, end);
  }
  return batch;
}
