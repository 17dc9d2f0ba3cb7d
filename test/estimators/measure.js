// Bias and variance of an algorithm's gradient on the small game: many batches are sampled, each is given credit by the algorithm's own `advantages`,
// weighed by its `weights`, and its `loss` is differentiated where the policy is still the sampler.
import { buildBatch, evaluateLoss, lossInputs, lossOperations } from '../../dist/testing/index.js';
import { createRandom } from '../../dist/random/create-random.js';

/**
 * @param {import('./token-mdp.js').TokenMdp} mdp
 * @param {object} algorithm what a plugin creates
 * @param {object} settings `batches` to sample, `groupSize` episodes of each task in a batch, `seed`, `critic(context)` in the place of exact values
 * @returns means and deviations of the estimate, and how it compares with the exact gradient
 */
export function measureEstimator(mdp, algorithm, { batches, groupSize, seed = 1, critic }) {
  const random = createRandom(seed);
  const size = mdp.gradient.length;
  const [sum, squares] = [new Float64Array(size), new Float64Array(size)];
  const loss = algorithm.loss(lossOperations, lossInputs);
  const value = critic ?? ((context) => mdp.values.get(context));
  let state = algorithm.initialState;
  for (let number = 0; number < batches; number += 1) {
    const draws = random.stream(number);
    const groups = mdp.tasks.map((_, task) =>
      Array.from({ length: groupSize }, () => ({ task, episode: mdp.draw(task, draws.uniform()) })),
    );
    const episodes = groups.flatMap((group) => select(algorithm, group));
    if (episodes.length === 0) continue;
    const greedy = mdp.tasks.map((_, task) => mdp.drawGreedy(task, draws.uniform()).return);
    const batch = layOut(episodes, value, greedy);
    const credit = algorithm.advantages(batch, state);
    state = credit.state;
    const credited = { ...batch, advantages: credit.advantages, ...(credit.returns && { returns: credit.returns }) };
    const weight = algorithm.weights(credited);
    const live = { logprob: batch.logprobs, entropy: new Float64Array(weight.length), value: batch.values };
    const { gradients } = evaluateLoss({ ...credited, weight }, live, loss);
    // An optimizer goes down the loss: the estimate of the ascent direction is the negative.
    const estimate = new Float64Array(size);
    for (const [row, { episode }] of episodes.entries()) {
      for (const step of episode.contexts) {
        const slope = gradients.logprob[row * batch.width + step.position];
        estimate[mdp.places.get(step.context)] -= slope * mdp.slope(step);
      }
    }
    for (let place = 0; place < size; place += 1) {
      sum[place] += estimate[place];
      squares[place] += estimate[place] ** 2;
    }
  }
  return compare(mdp.gradient, sum, squares, batches);
}

/** What of a group the algorithm trains on, as the loop asks it. */
function select(algorithm, group) {
  const completed = group.map(({ episode }) => ({
    turns: episode.turns,
    record: { tokens: episode.tokens, mask: episode.mask, logprobs: episode.logprobs },
    return: episode.return,
  }));
  const units = algorithm.select?.(completed) ?? [completed];
  return units.flat().map((chosen) => group[completed.indexOf(chosen)]);
}

function layOut(episodes, value, greedy) {
  const rows = episodes.map(({ task, episode: { tokens, mask, logprobs, turns } }) => ({
    record: { tokens, mask, logprobs },
    turns,
    group: task,
    truncated: false,
  }));
  const batch = buildBatch(rows, 1);
  const values = new Float64Array(batch.mask.length);
  for (const [row, { episode }] of episodes.entries()) {
    for (const { position, context } of episode.contexts) values[row * batch.width + position] = value(context);
  }
  const greedyReturn = Float64Array.from(episodes, ({ task }) => greedy[task]);
  return { ...batch, values, greedyReturn, referenceLogprobs: batch.logprobs };
}

function compare(exact, sum, squares, batches) {
  const mean = sum.map((total) => total / batches);
  const variance = squares.map((total, place) => Math.max(0, total / batches - mean[place] ** 2));
  const norm = (vector) => Math.sqrt(vector.reduce((total, x) => total + x * x, 0));
  const dot = mean.reduce((total, x, place) => total + x * exact[place], 0);
  const cosine = dot / (norm(mean) * norm(exact));
  const noise = Math.sqrt(variance.reduce((total, x) => total + x, 0));
  return {
    mean,
    /** Standard error of each component of the mean. */
    error: variance.map((x) => Math.sqrt(x / batches)),
    /** |E g - gradient| / |gradient|. */
    bias: norm(mean.map((x, place) => x - exact[place])) / norm(exact),
    /** What of the bias is Monte-Carlo error: the expectation of `bias` where there is none. */
    biasNoise: noise / Math.sqrt(batches) / norm(exact),
    /** Angle between E g and the gradient, in degrees: a bias that no learning rate makes good. */
    angle: (Math.acos(Math.min(1, cosine)) * 180) / Math.PI,
    /** Its share of Monte-Carlo error, in degrees. */
    angleNoise: ((noise / Math.sqrt(batches) / norm(mean)) * 180) / Math.PI,
    /** |E g| / |gradient|: what a learning rate would make good. */
    scale: norm(mean) / norm(exact),
    /** Standard deviation of a batch's estimate over the length of its mean. */
    noise: noise / norm(mean),
  };
}
