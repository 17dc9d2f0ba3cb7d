import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { Executor } from '../executors/executor.js';
import { clipFactor, gradientNorm } from './clip-gradient.js';
import { createOptimizer } from './create-optimizer.js';
import type { Optimizer, ShapedArray } from './optimizer.js';

interface Recorded {
  readonly norms: readonly number[];
  readonly parameters: { readonly [name: string]: readonly number[] };
}
const golden = JSON.parse(readFileSync(new URL('./fixtures/steps.json', import.meta.url), 'utf8')) as {
  readonly shapes: { readonly [name: string]: readonly number[] };
  readonly learningRate: number;
  readonly clipNorm: number;
  readonly weightDecay: number;
  readonly start: { readonly [name: string]: readonly number[] };
  readonly gradients: readonly { readonly [name: string]: readonly number[] }[];
  readonly adamw: Recorded;
  readonly muon: Recorded;
};
const arrays = (values: { readonly [name: string]: readonly number[] }) =>
  new Map(Object.entries(values).map(([name, numbers]) => [name, new Float32Array(numbers)]));
const startParameters = (): Map<string, ShapedArray> =>
  new Map([...arrays(golden.start)].map(([name, data]) => [name, { shape: golden.shapes[name]!, data }]));

let executor: Executor;
beforeAll(async () => {
  executor = await createExecutor({ threads: 1, log: () => undefined });
});

async function take(optimizer: Optimizer, steps: readonly number[]): Promise<number[]> {
  const norms = [];
  for (const step of steps) {
    const gradients = arrays(golden.gradients[step]!);
    const norm = gradientNorm(gradients);
    norms.push(norm);
    await optimizer.step(gradients, golden.learningRate, clipFactor(norm, golden.clipNorm));
  }
  return norms;
}

describe.each(['adamw', 'muon'] as const)('%s', (name) => {
  const settings = { name, options: { weightDecay: golden.weightDecay } };

  it('takes three clipped steps as torch does', async () => {
    const parameters = startParameters();
    const optimizer = createOptimizer(settings, parameters, executor);
    const norms = await take(optimizer, [0, 1, 2]);
    await optimizer.dispose();
    norms.forEach((norm, step) => expect(norm).toBeCloseTo(golden[name].norms[step]!, 5));
    for (const [parameter, { data }] of parameters) {
      data.forEach((value, index) => expect(value).toBeCloseTo(golden[name].parameters[parameter]![index]!, 5));
    }
  });

  // Law 7. Goes red when the state lacks the step count or a moment.
  it('goes on from its state bit for bit', async () => {
    const straight = startParameters();
    await take(createOptimizer(settings, straight, executor), [0, 1, 2]);

    const parameters = startParameters();
    const first = createOptimizer(settings, parameters, executor);
    await take(first, [0]);
    const state = structuredClone(first.state());
    await take(first, [1]);
    const resumed = startParameters();
    const second = createOptimizer(settings, resumed, executor);
    await take(createOptimizer(settings, resumed, executor), [0]);
    second.restore(state);
    await take(second, [1, 2]);
    expect(resumed).toEqual(straight);
  });

  it('refuses a state of other parameters, and gradients that do not fit', async () => {
    const optimizer = createOptimizer(settings, startParameters(), executor);
    expect(() => optimizer.restore({ steps: 1, tensors: new Map() })).toThrow(/has no \w+\.model\./);
    await expect(optimizer.step(new Map(), 1, 1)).rejects.toThrow(/no gradient of \d+ numbers for model\./);
  });
});

describe('muon', () => {
  it('does not care how many matrices there are', async () => {
    const one = startParameters();
    const many = startParameters();
    const gradients = arrays(golden.gradients[0]!);
    const query = 'model.layers.0.self_attn.q_proj.weight';
    for (let layer = 1; layer < 4; layer += 1) {
      const { shape, data } = many.get(query)!;
      const name = query.replace('0', String(layer));
      many.set(name, { shape, data: data.slice() });
      gradients.set(name, gradients.get(query)!);
    }
    await createOptimizer({ name: 'muon', options: {} }, one, executor).step(gradients, 0.1, 1);
    await createOptimizer({ name: 'muon', options: {} }, many, executor).step(gradients, 0.1, 1);
    expect(many.get(query)).toEqual(one.get(query));
  });
});

describe('createOptimizer', () => {
  const make = (name: string, options: { readonly [name: string]: number }) => () =>
    createOptimizer({ name, options }, new Map(), executor);
  it('names what it does not know', () => {
    expect(make('sgd', {})).toThrow('there is no optimizer "sgd"; available: adamw and muon');
    expect(make('adamw', { momentum: 0.9 })).toThrow(/adamw has no option momentum; it has beta1, beta2/);
    expect(make('muon', { momentum: 1 })).toThrow(/momentum of optimizer muon is 1; it must lie in \[0, 1\)/);
  });
});

describe('clipping', () => {
  it('shrinks a gradient to the norm asked for, and lets a smaller one be', () => {
    expect(
      gradientNorm(
        new Map([
          ['a', new Float32Array([3])],
          ['b', new Float32Array([0, 4])],
        ]),
      ),
    ).toBe(5);
    expect(clipFactor(5, 1)).toBeCloseTo(1 / 5.000001, 12);
    expect(clipFactor(0.5, 1)).toBe(1);
    expect(clipFactor(5, undefined)).toBe(1);
  });
});
