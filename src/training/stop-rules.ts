import type { StepMetrics } from './health-rules.js';

/** Ends a stage once a metric has been above or below a limit for some readings in a row. */
export interface StopRule {
  readonly metric: string;
  readonly above?: number;
  readonly below?: number;
  readonly for: number;
}

/** Consecutive readings, by rule; JSON. */
export type StopState = readonly number[];

/**
 * Reads the measurements of a step or an evaluation. A step without the metric is skipped: it neither counts nor breaks
 * a sequence.
 *
 * @returns the rule that ends the stage, if any
 */
export function readStopRules(
  rules: readonly StopRule[],
  state: StopState,
  metrics: StepMetrics,
): { readonly state: StopState; readonly stop: StopRule | undefined } {
  const next = rules.map((rule, index) => {
    const value = metrics[rule.metric];
    const before = state[index] ?? 0;
    if (value === undefined) return before;
    const holds = (rule.above === undefined || value > rule.above) && (rule.below === undefined || value < rule.below);
    return holds ? before + 1 : 0;
  });
  const read = (rule: StopRule): boolean => metrics[rule.metric] !== undefined;
  return { state: next, stop: rules.find((rule, index) => read(rule) && (next[index] as number) >= rule.for) };
}

/** The rule in words: `rollout/success above 0.95 for 5 readings`. */
export function describeStopRule(rule: StopRule): string {
  const limits = [
    ...(rule.above === undefined ? [] : [`above ${rule.above}`]),
    ...(rule.below === undefined ? [] : [`below ${rule.below}`]),
  ];
  return `${rule.metric} ${limits.join(' and ')} for ${rule.for} ${rule.for === 1 ? 'reading' : 'readings'}`;
}
