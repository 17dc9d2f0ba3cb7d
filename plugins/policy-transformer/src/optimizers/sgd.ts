/*
 * Stochastic gradient descent with momentum, as torch.optim.SGD: b = momentum b + g + decay p, p = p - lr b.
 */
import type { Executor } from '../executors/executor.js';
import type { StateArrays } from '../executors/state.js';
import { gradientState } from '../model/training-graph.js';
import { allocateMoment, type MomentOptions } from './allocate-moment.js';
import type { Trained, UpdateRule } from './optimizer.js';
import { segmentsOf, VectorProgram, type Segment } from './vector-program.js';

export interface SgdOptions extends MomentOptions {
  /** 0 keeps no moment. */
  readonly momentum: number;
  /** Coupled: it is added to the gradient. */
  readonly weightDecay: number;
}

export class Sgd implements UpdateRule {
  readonly moments: readonly StateArrays[];
  readonly #trained: Trained;
  readonly #segments: readonly Segment[];
  readonly #update: VectorProgram;

  constructor(executor: Executor, trained: Trained, names: readonly string[], options: SgdOptions) {
    const { momentum, weightDecay } = options;
    this.#trained = trained;
    this.#segments = segmentsOf(trained.parameters.shapes, names);
    this.moments = momentum > 0 ? [allocateMoment(executor, 'momentum', trained, names, options)] : [];
    this.#update = new VectorProgram(executor, (graph, vector, scalar) => {
      const parameter = vector('parameter');
      const gradient = graph.mul(vector('gradient'), scalar('factor'));
      const decayed = weightDecay > 0 ? graph.add(gradient, graph.mul(parameter, weightDecay)) : gradient;
      const step = momentum > 0 ? graph.add(graph.mul(vector('momentum'), momentum), decayed) : decayed;
      const moved = graph.sub(parameter, graph.mul(step, scalar('rate')));
      return { assign: { parameter: moved, ...(momentum > 0 && { momentum: step }) } };
    });
  }

  async apply(step: number, learningRate: number, factor: number): Promise<void> {
    const { parameters, gradients } = this.#trained;
    const [momentum] = this.moments;
    for (const { first: name, count } of this.#segments) {
      await this.#update.run(
        {
          parameter: { of: parameters, first: name },
          gradient: { of: gradients, first: gradientState(name) },
          ...(momentum && { momentum: { of: momentum, first: `momentum.${name}` } }),
        },
        count,
        { factor, rate: learningRate },
        step,
      );
    }
  }

  dispose(): Promise<void> {
    return this.#update.dispose();
  }
}
