/** REINFORCE with the group's mean as its baseline, ratios clipped. */
export function create({ clip }, { credit }) {
  return {
    roles: [],
    initialState: { batches: 0 },
    advantages(batch, state) {
      const returns = credit.episodeReturns(batch);
      const sums = new Map();
      returns.forEach((value, row) => {
        const group = batch.group[row] ?? 0;
        const { total, count } = sums.get(group) ?? { total: 0, count: 0 };
        sums.set(group, { total: total + value, count: count + 1 });
      });
      const centred = returns.map((value, row) => {
        const { total, count } = sums.get(batch.group[row] ?? 0) ?? { total: 0, count: 1 };
        return value - total / count;
      });
      return {
        advantages: credit.spreadOverTokens(batch, centred),
        state: { batches: Number(state['batches']) + 1 },
        metrics: { groups: sums.size },
      };
    },
    weights: (minibatch) => credit.aggregationWeights(minibatch, 'token-mean'),
    loss(ops, { logprob, logprobs, advantages }) {
      const ratio = ops.exp(ops.sub(logprob, logprobs));
      const clipped = ops.clip(ratio, 1 - clip, 1 + clip);
      const gain = ops.min(ops.mul(ratio, advantages), ops.mul(clipped, advantages));
      return { terms: { policy: ops.sub(ops.constant(0), gain) }, metrics: { ratio } };
    },
  };
}
export function validate(_options, settings, checks) {
  return checks.groupOfOne(settings);
}
