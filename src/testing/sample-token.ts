import type { Sampling } from '../contracts/policy.js';

/** log-softmax(logits / temperature) in float64. */
export function logSoftmax(logits: Float64Array, temperature: number): Float64Array {
  const scaled = logits.map((logit) => logit / temperature);
  const top = scaled.reduce((highest, value) => Math.max(highest, value), -Infinity);
  const logTotal = top + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - top), 0));
  return scaled.map((value) => value - logTotal);
}

/**
 * Samples one token; returns it with its log probability over the whole vocabulary. The token is the first id, in
 * ascending order, at which the cumulative probability of the ids left by top-k and then top-p reaches `draw` times
 * their sum. At temperature 0 it is the highest logit (the lowest id on a tie), with its log probability at temperature
 * 1.
 *
 * @param draw in (0, 1]
 */
export function sampleToken(
  logits: Float64Array,
  sampling: Sampling,
  draw: number,
): { readonly token: number; readonly logprob: number } {
  const logprobs = logSoftmax(logits, sampling.temperature === 0 ? 1 : sampling.temperature);
  const token = sampling.temperature === 0 ? highest(logits) : drawn(logprobs.map(Math.exp), sampling, draw);
  return { token, logprob: logprobs[token] as number };
}

function highest(logits: Float64Array): number {
  let best = 0;
  for (let id = 1; id < logits.length; id += 1) if ((logits[id] as number) > (logits[best] as number)) best = id;
  return best;
}

function drawn(probabilities: Float64Array, sampling: Sampling, draw: number): number {
  const kept = keep(probabilities, sampling);
  let total = 0;
  for (const id of kept) total += probabilities[id] as number;
  let cumulative = 0;
  let last = kept[0] as number;
  for (const id of kept) {
    const probability = probabilities[id] as number;
    if (probability === 0) continue;
    cumulative += probability;
    last = id;
    if (cumulative >= draw * total) break;
  }
  return last;
}

/** Ids that may be drawn, ascending. Among equally probable ids, the lower ones are kept. */
function keep(probabilities: Float64Array, { topK, topP }: Sampling): readonly number[] {
  const ids = [...probabilities.keys()];
  if (topK === 0 && topP >= 1) return ids;
  const likely = ids.sort((a, b) => (probabilities[b] as number) - (probabilities[a] as number) || a - b);
  const first = topK > 0 ? likely.slice(0, topK) : likely;
  const total = first.reduce((sum, id) => sum + (probabilities[id] as number), 0);
  let cumulative = 0;
  const count = first.findIndex((id) => (cumulative += probabilities[id] as number) >= topP * total);
  return first.slice(0, count === -1 ? first.length : count + 1).sort((a, b) => a - b);
}
