import type { Loss, LossExpression } from '../contracts/loss.js';
import { lossOperations } from './loss-operations.js';

/**
 * Converts the metrics by episode of a loss into metrics by token, because engines sum over tokens. Each token has an
 * equal share of its episode's number, so that the sum over tokens is the sum over episodes with sampled tokens.
 */
export function byToken({ terms, metrics, episodeMetrics }: Loss): Loss {
  if (episodeMetrics === undefined) return { terms, ...(metrics && { metrics }) };
  const length = lossOperations.sequenceSum(lossOperations.constant(1));
  const shares = Object.entries(episodeMetrics).map(([name, of]): [string, LossExpression] => [
    name,
    lossOperations.div(of, length),
  ]);
  return { terms, metrics: { ...metrics, ...Object.fromEntries(shares) } };
}
