import { meanVariance, type CrossedComponents } from './crossed-estimate.js';
import { noncentralTBelow } from './noncentral-t.js';
import { studentT95 } from './student-t.js';

/** The design of an experiment, made or planned. */
export interface PairedDesign {
  /** At least 2: one seed says nothing about others. */
  readonly seeds: number;
  /** Effective number of task clusters. */
  readonly tasks: number;
  /** Variances of the differences, as `crossedDifference` estimates them. */
  readonly components: CrossedComponents;
}

/** The largest shift of a noncentral t that `noncentralTBelow` supports. Two seeds at 99 % need 33. */
const LARGEST_SHIFT = 37;

/**
 * The smallest true difference of two paired cells that the test of `crossedDifference` finds, at 5 % two-sided, with
 * this power. The test's t is assumed to be noncentral t with the degrees of freedom of the given components. If tasks
 * have no separate effect, it is the paired t test over seeds, and this is exact for normal outcomes.
 *
 * @throws RangeError for one seed, or a power that is not between 0.05 and 0.99
 */
export function detectableEffect({ seeds, tasks, components }: PairedDesign, power = 0.8): number {
  if (!(seeds >= 2 && tasks >= 1)) throw new RangeError(`a plan needs 2 seeds and a task, not ${seeds} and ${tasks}`);
  if (!(power > 0.05 && power <= 0.99)) throw new RangeError(`power ${power} is not between 0.05 and 0.99`);
  const { seed, task, rest } = components;
  const expected = { seed: tasks * seed + rest, task: seeds * task + rest, rest };
  const { variance, degrees } = meanVariance(expected, seeds, tasks);
  const critical = studentT95(degrees);
  let [low, high] = [0, LARGEST_SHIFT];
  for (let i = 0; i < 50; i += 1) {
    const shift = (low + high) / 2;
    // The chance above t, plus the chance on the wrong side below -t: that is the chance of -Z - shift above t.
    const found = 1 - noncentralTBelow(critical, degrees, shift) + 1 - noncentralTBelow(critical, degrees, -shift);
    if (found < power) low = shift;
    else high = shift;
  }
  return ((low + high) / 2) * Math.sqrt(variance);
}

/**
 * Describes it in words: "with 3 seeds and 100 tasks you can see differences above 14 points".
 *
 * @param effect the detectable difference of two rates, in 0..1; said in points, rounded up to two digits
 */
export function describeDetectableEffect(effect: number, seeds: number, tasks: number): string {
  const design = `with ${seeds} ${seeds === 1 ? 'seed' : 'seeds'} and ${tasks.toLocaleString('en')} ${tasks === 1 ? 'task' : 'tasks'} you can see`;
  const points = effect * 100;
  if (points >= 100) return `${design} no difference of rates`;
  // A number below the detectable effect would promise too much. 1e-9 is rounding, not a tenth of a point.
  const digits = points < 10 ? 10 : 1;
  const shown = Math.ceil(points * digits - 1e-9) / digits;
  return `${design} differences above ${shown} ${shown === 1 ? 'point' : 'points'}`;
}
