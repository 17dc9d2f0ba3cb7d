/*
 * Adam with decoupled weight decay (Loshchilov & Hutter 2019): m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
 * p = p (1 - lr decay) - lr m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps).
 */
import type { Executor } from '../executors/executor.js';
import type { StateArrays } from '../executors/state.js';
import { allocateMoment, type MomentOptions } from './allocate-moment.js';
import { gradientState } from '../model/training-graph.js';
import type { Trained, UpdateRule } from './optimizer.js';
import { segmentsOf, VectorProgram, type Segment } from './vector-program.js';

export interface AdamwOptions extends MomentOptions {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Applies also to norm weights and biases, as in torch.optim.AdamW. */
  readonly weightDecay: number;
}

export class Adamw implements UpdateRule {
  readonly moments: readonly [first: StateArrays, second: StateArrays];
  readonly #trained: Trained;
  readonly #segments: readonly Segment[];
  readonly #options: AdamwOptions;
  readonly #update: VectorProgram;

  /** @param names the parameters that it changes */
  constructor(executor: Executor, trained: Trained, names: readonly string[], options: AdamwOptions) {
    this.#trained = trained;
    this.#segments = segmentsOf(trained.parameters.shapes, names);
    this.#options = options;
    this.moments = [
      allocateMoment(executor, 'first', trained, names, options),
      allocateMoment(executor, 'second', trained, names, options),
    ];
    const { beta1, beta2, epsilon } = options;
    this.#update = new VectorProgram(executor, (graph, vector, scalar) => {
      const gradient = graph.mul(vector('gradient'), scalar('factor'));
      const first = graph.add(vector('first'), graph.mul(graph.sub(gradient, vector('first')), 1 - beta1));
      const square = graph.mul(graph.mul(gradient, gradient), 1 - beta2);
      const second = graph.add(graph.mul(vector('second'), beta2), square);
      const size = graph.add(graph.mul(graph.sqrt(second), scalar('root')), epsilon);
      const change = graph.div(graph.mul(first, scalar('rate')), size);
      const parameter = graph.sub(graph.mul(vector('parameter'), scalar('keep')), change);
      return { assign: { first, second, parameter } };
    });
  }

  async apply(step: number, learningRate: number, factor: number): Promise<void> {
    const { beta1, beta2, weightDecay } = this.#options;
    const scalars = {
      factor,
      keep: 1 - learningRate * weightDecay,
      rate: learningRate / (1 - beta1 ** step),
      root: 1 / Math.sqrt(1 - beta2 ** step),
    };
    const { parameters, gradients } = this.#trained;
    const [first, second] = this.moments;
    for (const { first: name, count } of this.#segments) {
      await this.#update.run(
        {
          parameter: { of: parameters, first: name },
          gradient: { of: gradients, first: gradientState(name) },
          first: { of: first, first: `first.${name}` },
          second: { of: second, first: `second.${name}` },
        },
        count,
        scalars,
        step,
      );
    }
  }

  dispose(): Promise<void> {
    return this.#update.dispose();
  }
}
