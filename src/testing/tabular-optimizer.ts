import type { JsonObject } from '../contracts/json.js';
import type { OptimizerDeclaration } from '../contracts/plugin.js';
import type { OptimizerSettings } from '../contracts/policy.js';
import { fromBase64, toBase64, type TabularRows } from './tabular-rows.js';

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

interface Moments {
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/**
 * AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101, algorithm 2) or plain gradient descent, on the rows that a
 * gradient has reached. All rows share the step number, so a new row is treated as if its earlier gradients were 0.
 */
export class TabularOptimizer {
  readonly #settings: OptimizerSettings;
  readonly #moments: Map<string, Moments>;
  #steps: number;

  constructor(settings: OptimizerSettings, steps = 0, moments: Iterable<readonly [string, Moments]> = []) {
    const known: object | undefined = Object.hasOwn(defaults, settings.name)
      ? defaults[settings.name as keyof typeof defaults]
      : undefined;
    if (known === undefined) throw new Error(`the tabular policy has no optimizer \`${settings.name}\``);
    for (const name of Object.keys(settings.options)) {
      if (!Object.hasOwn(known, name)) throw new Error(`the optimizer \`${settings.name}\` has no option \`${name}\``);
    }
    this.#settings = settings;
    this.#steps = steps;
    this.#moments = new Map(moments);
  }

  static fromJson(json: JsonObject): TabularOptimizer {
    const moments = json['moments'] as readonly (readonly [string, string, string])[];
    return new TabularOptimizer(
      json['settings'] as unknown as OptimizerSettings,
      json['steps'] as number,
      moments.map(([context, first, second]) => [context, { first: fromBase64(first), second: fromBase64(second) }]),
    );
  }

  toJson(): JsonObject {
    const moments = [...this.#moments].map(([context, { first, second }]) => [
      context,
      toBase64(first),
      toBase64(second),
    ]);
    return { settings: { ...this.#settings }, steps: this.#steps, moments };
  }

  /** One step against `scale` times the gradients. */
  apply(table: TabularRows, gradients: ReadonlyMap<string, Float64Array>, scale: number, learningRate: number): void {
    this.#steps += 1;
    if (this.#settings.name === 'sgd') {
      for (const [context, gradient] of gradients) {
        const row = table.row(context);
        for (let i = 0; i < row.length; i += 1) (row[i] as number) -= learningRate * scale * (gradient[i] as number);
      }
      return;
    }
    for (const context of gradients.keys()) {
      if (this.#moments.has(context)) continue;
      this.#moments.set(context, { first: new Float64Array(table.width), second: new Float64Array(table.width) });
    }
    for (const [context, moments] of this.#moments) {
      this.#adamw(table.row(context), moments, gradients.get(context), scale, learningRate);
    }
  }

  #adamw(
    row: Float64Array,
    { first, second }: Moments,
    gradient: Float64Array | undefined,
    scale: number,
    learningRate: number,
  ): void {
    const constants = { ...defaults.adamw, ...(this.#settings.options as Partial<typeof defaults.adamw>) };
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
