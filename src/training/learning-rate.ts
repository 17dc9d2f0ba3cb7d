/** A learning rate over the steps of a stage. */
export interface LearningRateSchedule {
  /** Highest learning rate. */
  readonly peak: number;
  /** Steps that climb to the peak in even increments; step `warmup` is the first at the peak. 0: none. */
  readonly warmup: number;
  readonly schedule: 'constant' | 'linear' | 'cosine';
  /** Share of the peak that the last step has; no effect on a constant rate. */
  readonly floor: number;
}

/**
 * The learning rate of a step, from 1 to `steps`. A function of the step alone, so that a resumed run has the same
 * rates.
 */
export function learningRate(
  { peak, warmup, schedule, floor }: LearningRateSchedule,
  step: number,
  steps: number,
): number {
  if (step < warmup) return (peak * step) / warmup;
  if (schedule === 'constant') return peak;
  const first = Math.max(1, warmup);
  const done = steps <= first ? 1 : Math.min(1, (step - first) / (steps - first));
  const fraction = schedule === 'linear' ? 1 - done : (1 + Math.cos(Math.PI * done)) / 2;
  return peak * (floor + (1 - floor) * fraction);
}
