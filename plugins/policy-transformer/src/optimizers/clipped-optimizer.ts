import type { OptimizerStepResult } from '@agentgym/cli';

import type { Executor } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import { elementCount } from '../operations/shapes.js';
import { clipFactor, GradientNorm } from './clip-gradient.js';
import type { Optimizer, OptimizerState, ShapedArray, UpdateRule } from './optimizer.js';

/** An update rule with clipping, and with its memory in the form of a checkpoint. */
export class ClippedOptimizer implements Optimizer {
  readonly #rule: UpdateRule;
  readonly #gradients: State;
  readonly #norm: GradientNorm;
  #steps = 0;

  constructor(rule: UpdateRule, gradients: State, executor: Executor) {
    this.#rule = rule;
    this.#gradients = gradients;
    this.#norm = new GradientNorm(executor);
  }

  async step(learningRate: number, clipNorm: number | undefined): Promise<OptimizerStepResult> {
    const gradientNorm = await this.#norm.of(this.#gradients);
    const applied = Number.isFinite(gradientNorm);
    if (applied) {
      this.#steps += 1;
      await this.#rule.apply(this.#steps, learningRate, clipFactor(gradientNorm, clipNorm));
    }
    await this.#gradients.clear();
    return { gradientNorm, applied };
  }

  async state(): Promise<OptimizerState> {
    const tensors = new Map<string, ShapedArray>();
    for (const moments of this.#rule.moments) {
      for (const [name, shape] of moments.shapes) tensors.set(name, { shape, data: await moments.read(name) });
    }
    return { steps: this.#steps, tensors };
  }

  async restore({ steps, tensors }: OptimizerState): Promise<void> {
    for (const { shapes } of this.#rule.moments) {
      for (const [name, shape] of shapes) {
        const count = elementCount(shape);
        if (tensors.get(name)?.data.length !== count) {
          throw new Error(`the optimizer's state has no ${name} of ${count} numbers`);
        }
      }
    }
    for (const moments of this.#rule.moments) {
      for (const name of moments.shapes.keys()) await moments.write(name, tensors.get(name)!.data);
    }
    this.#steps = steps;
  }

  async dispose(): Promise<void> {
    await this.#norm.dispose();
    await this.#rule.dispose();
  }
}
