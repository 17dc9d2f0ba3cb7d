import type { Loss, LossExpression } from '../contracts/loss.js';
import { lossOperations } from './loss-operations.js';

/**
 * A loss whose metrics by row are told by token, as an engine sums them: each token carries its share of the row's
 * number, so that the sum over tokens is the sum over rows that have one.
 */
export function byToken({ terms, metrics, rowMetrics }: Loss): Loss {
  if (rowMetrics === undefined) return { terms, ...(metrics && { metrics }) };
  const length = lossOperations.sequenceSum(lossOperations.constant(1));
  const shares = Object.entries(rowMetrics).map(([name, of]): [string, LossExpression] => [
    name,
    lossOperations.div(of, length),
  ]);
  return { terms, metrics: { ...metrics, ...Object.fromEntries(shares) } };
}
