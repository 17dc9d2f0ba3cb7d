import type { Sampling } from '@agentgym/cli';

/**
 * Draws among the `topK` largest logits (0: all), and of these only among those after less than `topP` of their mass.
 * The log probability is over the whole vocabulary, as everywhere.
 */
export function chooseRanked(
  logits: Float32Array,
  draw: number,
  { temperature, topP, topK }: Sampling,
): [token: number, logprob: number] {
  // Sorting is stable, so the first of equal logits stays first.
  const ranked = Array.from(logits.keys()).sort((a, b) => logits[b]! - logits[a]!);
  const largest = logits[ranked[0]!]!;
  const weights = ranked.map((token) => Math.exp((logits[token]! - largest) / temperature));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const likeliest = weights.slice(0, topK === 0 ? weights.length : topK);
  const mass = topP * likeliest.reduce((sum, weight) => sum + weight, 0);
  let kept = 0;
  let count = 0;
  while (count < likeliest.length && (count === 0 || kept < mass)) kept += likeliest[count++]!;
  let cumulative = 0;
  let place = 0;
  for (; place < count - 1; place += 1) {
    cumulative += likeliest[place]!;
    if (cumulative >= draw * kept) break;
  }
  return [ranked[place]!, Math.log(weights[place]! / whole)];
}
