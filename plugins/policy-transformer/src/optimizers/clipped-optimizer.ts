import type { OptimizerStepResult } from '@agentgym/cli';

import type { Executor } from '../executors/executor.js';
import type { State, StateArrays } from '../executors/state.js';
import { clipFactor, GradientNorm } from './clip-gradient.js';
import type { Optimizer, UpdateRule } from './optimizer.js';

/** An update rule with clipping. */
export class ClippedOptimizer implements Optimizer {
  steps = 0;
  readonly #rule: UpdateRule;
  readonly #gradients: State;
  readonly #norm: GradientNorm;

  constructor(rule: UpdateRule, gradients: State, executor: Executor) {
    this.#rule = rule;
    this.#gradients = gradients;
    this.#norm = new GradientNorm(executor);
  }

  get moments(): readonly StateArrays[] {
    return this.#rule.moments;
  }

  async step(learningRate: number, clipNorm: number | undefined): Promise<OptimizerStepResult> {
    const gradientNorm = await this.#norm.of(this.#gradients);
    const applied = Number.isFinite(gradientNorm);
    if (applied) {
      this.steps += 1;
      await this.#rule.apply(this.steps, learningRate, clipFactor(gradientNorm, clipNorm));
    }
    await this.#gradients.clear();
    return { gradientNorm, applied };
  }

  async dispose(): Promise<void> {
    await this.#norm.dispose();
    await this.#rule.dispose();
    for (const moment of this.moments) await moment.dispose();
  }
}
