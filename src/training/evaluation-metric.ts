/**
 * Name of a measurement of an evaluation in metrics.jsonl.
 *
 * @param entry an environment of several; empty or absent: all of them together, or the only one
 */
export function evaluationMetric(entry: string | undefined, temperature: number, what: string): string {
  return ['eval', ...(entry ? [entry] : []), `t${temperature}`, what].join('/');
}
