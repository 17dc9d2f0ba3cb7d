/** A learning rate over the steps of a stage. */
export interface LearningRateSchedule {
  /** Highest learning rate. */
  readonly peak: number;
  /**
   * Number of steps that climb to the peak in even increments. Step `warmup` is the first at the peak. 0: no warm-up.
   */
  readonly warmup: number;
  readonly schedule: 'constant' | 'linear' | 'cosine';
  /** Learning rate of the last step as a share of the peak. No effect on a constant rate. */
  readonly floor: number;
}

/**
 * The learning rate of a step, from 1 to `steps`. It depends only on the step, so that a resumed run has the same
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
