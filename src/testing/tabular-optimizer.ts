import type { JsonObject } from '../contracts/json.js';
import type { OptimizerDeclaration } from '../contracts/plugin.js';
import type { OptimizerSettings } from '../contracts/policy.js';
import { decodeRows, encodeRows, type TabularRows } from './tabular-rows.js';

const defaults = { adamw: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 }, sgd: {} } as const;

/** The optimizers of the tabular policy, for a contribution that makes one. */
export const tabularOptimizers: readonly OptimizerDeclaration[] = Object.entries(defaults).map(([name, constants]) => ({
  name,
  summary: name === 'adamw' ? 'AdamW' : 'Plain gradient descent',
  options: Object.fromEntries(
    Object.entries(constants).map(([option, value]) => [
      option,
      { type: 'number', minimum: 0, default: value, description: 'A constant of AdamW' },
    ]),
  ),
}));

type Rows = Map<string, Float64Array>;

/**
 * AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101, algorithm 2) or plain gradient descent, on the rows that a
 * gradient has reached. All rows share the step number, so a new row is treated as if its earlier gradients were 0.
 */
export class TabularOptimizer {
  #steps = 0;
  /** First and second moments. */
  #moments: readonly [Rows, Rows] = [new Map(), new Map()];

  constructor(readonly settings: OptimizerSettings) {
    const { name, options } = settings;
    if (!Object.hasOwn(defaults, name)) throw new Error(`the tabular policy has no optimizer \`${name}\``);
    const known = defaults[name as keyof typeof defaults];
    const stranger = Object.keys(options).find((option) => !Object.hasOwn(known, option));
    if (stranger !== undefined) throw new Error(`the optimizer \`${name}\` has no option \`${stranger}\``);
  }

  static fromJson({ settings, steps, first, second }: JsonObject): TabularOptimizer {
    const optimizer = new TabularOptimizer(settings as unknown as OptimizerSettings);
    optimizer.#steps = steps as number;
    optimizer.#moments = [decodeRows(first), decodeRows(second)];
    return optimizer;
  }

  toJson(): JsonObject {
    const [first, second] = this.#moments.map(encodeRows);
    return { settings: { ...this.settings }, steps: this.#steps, first: first!, second: second! };
  }

  /** One step against `scale` times the gradients. */
  apply(table: TabularRows, gradients: ReadonlyMap<string, Float64Array>, scale: number, learningRate: number): void {
    this.#steps += 1;
    if (this.settings.name === 'sgd') {
      for (const [context, gradient] of gradients) {
        const row = table.row(context);
        for (let i = 0; i < row.length; i += 1) (row[i] as number) -= learningRate * scale * (gradient[i] as number);
      }
      return;
    }
    const [firsts, seconds] = this.#moments;
    for (const context of new Set([...firsts.keys(), ...gradients.keys()])) {
      const [first, second] = this.#moments.map((rows) => rows.get(context) ?? new Float64Array(table.width));
      firsts.set(context, first!);
      seconds.set(context, second!);
      this.#adamw(table.row(context), first!, second!, gradients.get(context), scale, learningRate);
    }
  }

  #adamw(
    row: Float64Array,
    first: Float64Array,
    second: Float64Array,
    gradient: Float64Array | undefined,
    scale: number,
    learningRate: number,
  ): void {
    const constants = { ...defaults.adamw, ...(this.settings.options as Partial<typeof defaults.adamw>) };
    const { beta1, beta2, epsilon, weightDecay } = constants;
    const correction1 = 1 - beta1 ** this.#steps;
    const correction2 = 1 - beta2 ** this.#steps;
    for (let i = 0; i < row.length; i += 1) {
      const g = scale * (gradient?.[i] ?? 0);
      const m = beta1 * (first[i] as number) + (1 - beta1) * g;
      const v = beta2 * (second[i] as number) + (1 - beta2) * g * g;
      first[i] = m;
      second[i] = v;
      const decayed = (row[i] as number) * (1 - learningRate * weightDecay);
      row[i] = decayed - (learningRate * (m / correction1)) / (Math.sqrt(v / correction2) + epsilon);
    }
  }
}
