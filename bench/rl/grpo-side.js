// One iteration of GRPO without a world on our side: groups of completions, advantages, and one training step.
import { lossInputs as inputs, lossOperations as ops } from '../../dist/credit/loss-operations.js';
import { createRandom } from '../../dist/random/create-random.js';

const sampling = { temperature: 1, topP: 1, topK: 0 };

/** The clipped objective of GRPO, as TRL's default without a divergence from a reference. */
const ratio = ops.exp(ops.sub(inputs.logprob, inputs.logprobs));
const clipped = ops.mul(ops.clip(ratio, 0.8, 1.2), inputs.advantages);
const loss = {
  terms: { policy: ops.sub(ops.constant(0), ops.min(ops.mul(ratio, inputs.advantages), clipped)) },
};

/** Returns a function that does one iteration. The reward is the share of even token ids. */
export async function grpoWork(policy, { prompts, group, prompt, fresh, vocabulary }) {
  const random = createRandom(4);
  const rows = prompts * group;
  const width = prompt + fresh;
  await policy.resetOptimizer({ name: 'adamw', options: {} });
  let round = 0;
  return async () => {
    round += 1;
    const texts = Array.from({ length: prompts }, () =>
      Array.from({ length: prompt }, () => random.integer(0, vocabulary)),
    );
    const requests = Array.from({ length: rows }, (_, row) => ({
      tokens: texts[Math.floor(row / group)],
      sequence: `${round}.${row}`,
      endIds: [],
      maxTokens: fresh,
      draws: Float64Array.from({ length: fresh }, () => 1 - random.uniform()),
    }));
    const answers = await policy.generate(requests, sampling);
    policy.release(requests.map(({ sequence }) => sequence));
    const rewards = answers.map(({ tokens }) => tokens.filter((token) => token % 2 === 0).length / tokens.length);
    await policy.forwardBackward(batchOf(requests, answers, advantagesOf(rewards, group), width), loss);
    await policy.optimizerStep({ learningRate: 1e-4, clipNorm: 1 });
  };
}

/** (reward - mean) / (deviation + 1e-4) within each group. */
function advantagesOf(rewards, group) {
  return rewards.map((reward, row) => {
    const first = row - (row % group);
    const own = rewards.slice(first, first + group);
    const mean = own.reduce((sum, x) => sum + x, 0) / group;
    const deviation = Math.sqrt(own.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (group - 1));
    return (reward - mean) / (deviation + 1e-4);
  });
}

function batchOf(requests, answers, advantages, width) {
  const rows = requests.length;
  const size = rows * width;
  const prompt = requests[0].tokens.length;
  const tokens = new Int32Array(size);
  const logprobs = new Float64Array(size);
  for (const [row, { tokens: asked }] of requests.entries()) {
    tokens.set(asked, row * width);
    tokens.set(answers[row].tokens, row * width + prompt);
    logprobs.set(answers[row].logprobs, row * width + prompt);
  }
  const sampled = (index) => index % width >= prompt;
  return {
    rows,
    width,
    tokens,
    length: new Int32Array(rows).fill(width),
    mask: Uint8Array.from({ length: size }, (_, index) => Number(sampled(index))),
    turn: Int32Array.from({ length: size }, (_, index) => (sampled(index) ? 0 : -1)),
    weight: Float64Array.from({ length: size }, (_, index) => (sampled(index) ? 1 / (rows * (width - prompt)) : 0)),
    logprobs,
    rewards: new Float64Array(size),
    advantages: Float64Array.from({ length: size }, (_, index) => advantages[Math.floor(index / width)]),
    group: Int32Array.from({ length: rows }, (_, row) => row),
    truncated: new Uint8Array(rows),
    bootstrapValue: new Float64Array(rows),
    temperature: 1,
  };
}
