import type { Sampling } from '@agentgym/cli';

/**
 * Chooses an id. At temperature 0 it is the likeliest, the lowest on a tie. Otherwise, top-k and then top-p select ids.
 * It is the first of these, in ascending order, at which the cumulative probability reaches `draw` of their sum.
 *
 * @param logprobs [vocabulary] at the temperature of sampling
 * @param draw in (0, 1]
 */
export function chooseToken(logprobs: Float64Array, { temperature, topK, topP }: Sampling, draw: number): number {
  if (temperature === 0) return logprobs.reduce((best, x, id) => (x > (logprobs[best] as number) ? id : best), 0);
  const kept = keep(logprobs.map(Math.exp), topK, topP);
  let left = draw * kept.reduce((sum, [, probability]) => sum + probability, 0);
  let last = 0;
  for (const [id, probability] of kept) {
    // An id of probability 0 is never drawn, even if rounding leaves something over.
    if (probability === 0) continue;
    last = id;
    left -= probability;
    if (left <= 0) break;
  }
  return last;
}

type Candidate = readonly [id: number, probability: number];

/** Ids that may be drawn, with their probabilities, in ascending order. Of equally likely ids, the lower is kept. */
function keep(probabilities: Float64Array, topK: number, topP: number): readonly Candidate[] {
  const all = Array.from(probabilities, (probability, id): Candidate => [id, probability]);
  if (topK === 0 && topP >= 1) return all;
  const likely = all.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, topK > 0 ? topK : undefined);
  const enough = topP * likely.reduce((sum, [, probability]) => sum + probability, 0);
  let cumulative = 0;
  const last = likely.findIndex(([, probability]) => (cumulative += probability) >= enough);
  return likely.slice(0, last === -1 ? undefined : last + 1).sort((a, b) => a[0] - b[0]);
}
