// Answers to questions: sampling them, and their log probabilities under a model.
import { createRandom } from '../../dist/random/create-random.js';
import { buildBatch } from '../../dist/rollout/build-batch.js';

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
  const batch = buildBatch(
    rows.map((asked, row) => rowOf(asked, answers[row])),
    1,
  );
  const logprobs = await policy.logprobs(batch);
  return rows.map((asked, row) => {
    const start = row * batch.width + asked.length;
    return Array.from(logprobs.slice(start, start + answers[row].length));
  });
}

function rowOf(asked, answer) {
  const tokens = [...asked, ...answer];
  const mask = tokens.map((_, place) => Number(place >= asked.length));
  const turns = [{ sampled: [asked.length, tokens.length], reward: 0 }];
  return { record: { tokens, mask, logprobs: tokens.map(() => 0) }, turns, group: 0, truncated: false };
}
