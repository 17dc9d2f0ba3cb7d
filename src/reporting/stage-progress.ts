import type { RunEvent } from '../contracts/events.js';
import { formatCount, formatSeconds, formatShare } from './format-quantity.js';
import { sparkline } from './training-curve.js';

/** The weight of a new step in the mean duration of steps. */
const smoothing = 0.1;

/** The state of a running stage in one line. It is fed with the run's events and reads no clock. */
export class StageProgress {
  #step: number;
  #stepSeconds: number | undefined;
  #lastStepAt: number;
  #metrics: { readonly [name: string]: number } = {};
  #temperature = Infinity;
  readonly #evaluated: number[] = [];

  /** @param now milliseconds of any monotonic clock */
  constructor(
    readonly stage: string,
    readonly steps: number,
    done: number,
    now: number,
  ) {
    this.#step = done;
    this.#lastStepAt = now;
  }

  take(event: Extract<RunEvent, { type: 'step' | 'evaluation' }>, now: number): void {
    if (event.type === 'evaluation') {
      this.#takeRate(event.evaluation.temperature, event.evaluation.success.rate);
      return;
    }
    const seconds = (now - this.#lastStepAt) / 1000 / Math.max(1, event.step - this.#step);
    this.#stepSeconds =
      this.#stepSeconds === undefined ? seconds : this.#stepSeconds + smoothing * (seconds - this.#stepSeconds);
    this.#lastStepAt = now;
    this.#step = event.step;
    this.#metrics = event.metrics;
  }

  /** "rl: step 120/250, success 54 %, evaluated 61 % ▃▅▆, 12.3k tokens/s, 1 min 20 s left". */
  describe(): string {
    const { 'rollout/success': success, 'time/tokens_per_second': rate, 'train/loss': loss } = this.#metrics;
    const latest = this.#evaluated.at(-1);
    const parts = [`step ${this.#step}/${this.steps}`];
    if (success !== undefined) parts.push(`success ${formatShare(success, 0)}`);
    else if (loss !== undefined) parts.push(`loss ${loss.toFixed(3)}`);
    if (latest !== undefined) parts.push(`evaluated ${formatShare(latest, 0)} ${sparkline(this.#evaluated, 12)}`);
    if (rate !== undefined && Number.isFinite(rate)) parts.push(`${formatCount(rate)} tokens/s`);
    const left = this.#secondsLeft();
    if (left !== undefined) parts.push(`${formatSeconds(left)} left`);
    return `${this.stage}: ${parts.join(', ')}`;
  }

  /** Only the lowest temperature makes the curve. */
  #takeRate(temperature: number, rate: number): void {
    if (temperature > this.#temperature) return;
    if (temperature < this.#temperature) this.#evaluated.length = 0;
    this.#temperature = temperature;
    this.#evaluated.push(rate);
  }

  #secondsLeft(): number | undefined {
    const remaining = this.steps - this.#step;
    return this.#stepSeconds === undefined || remaining <= 0 ? undefined : this.#stepSeconds * remaining;
  }
}
