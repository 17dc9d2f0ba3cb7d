/*
 * Muon (Jordan et al. 2024): Nesterov momentum, orthogonalized, on the matrices of the layers; AdamW on embeddings,
 * head, norms and biases, with the same learning rate. An update of a matrix [out, in] is scaled by sqrt(max(1, out /
 * in)).
 */
import type { Executable, Executor, Program } from '../executors/executor.js';
import type { StateArrays } from '../executors/state.js';
import { Graph } from '../graph/graph.js';
import { gradientState } from '../model/training-graph.js';
import type { Shape, Tensor } from '../operations/tensor.js';
import { Adamw, type AdamwOptions } from './adamw.js';
import { allocateMoment } from './allocate-moment.js';
import { newtonSchulz } from './newton-schulz.js';
import type { Trained, UpdateRule } from './optimizer.js';

export interface MuonOptions extends AdamwOptions {
  readonly momentum: number;
}

/** One run has at most this many numbers, so that it takes well below a second. */
const NUMBERS_PER_RUN = 2 ** 20;

interface Matrix {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
}

export class Muon implements UpdateRule {
  readonly moments: readonly StateArrays[];
  readonly #executor: Executor;
  readonly #trained: Trained;
  readonly #options: MuonOptions;
  readonly #momentum: StateArrays;
  readonly #rest: Adamw;
  /** Matrices that share a run. */
  readonly #groups: readonly (readonly Matrix[])[];
  readonly #programs: Executable[] = [];

  constructor(executor: Executor, trained: Trained, options: MuonOptions) {
    this.#executor = executor;
    this.#trained = trained;
    this.#options = options;
    const shapes = [...trained.parameters.shapes];
    const hidden = shapes
      .filter(isHiddenMatrix)
      .map(([name, [rows, columns]]) => ({ name, rows: rows!, columns: columns! }));
    const others = shapes.filter((parameter) => !isHiddenMatrix(parameter)).map(([name]) => name);
    this.#groups = groupMatrices(hidden);
    this.#momentum = allocateMoment(
      executor,
      'momentum',
      trained,
      hidden.map(({ name }) => name),
      options,
    );
    this.#rest = new Adamw(executor, trained, others, options);
    this.moments = [this.#momentum, ...this.#rest.moments];
  }

  async apply(step: number, learningRate: number, factor: number): Promise<void> {
    const { parameters, gradients } = this.#trained;
    const inputs = {
      factor: Float32Array.of(factor),
      rate: Float32Array.of(learningRate),
      keep: Float32Array.of(1 - learningRate * this.#options.weightDecay),
    };
    for (const [index, group] of this.#groups.entries()) {
      const program = (this.#programs[index] ??= await this.#executor.compile(updateOf(group, this.#options.momentum)));
      await program.run(inputs, { state: [parameters, gradients, this.#momentum], roundingSeed: step });
    }
    await this.#rest.apply(step, learningRate, factor);
  }

  async dispose(): Promise<void> {
    for (const program of this.#programs.splice(0)) await program.dispose();
    await this.#rest.dispose();
  }
}

/** Whether a parameter is a matrix of a layer, by its Hugging Face name. */
export function isHiddenMatrix([name, shape]: readonly [string, Shape]): boolean {
  return shape.length === 2 && name.startsWith('model.layers.');
}

/** Groups matrices of the same shape, tall or wide, in order of first appearance, up to `NUMBERS_PER_RUN`. */
function groupMatrices(matrices: readonly Matrix[]): Matrix[][] {
  const groups = new Map<string, Matrix[][]>();
  for (const matrix of matrices) {
    const { rows, columns } = matrix;
    const key = `${Math.min(rows, columns)} ${Math.max(rows, columns)}`;
    const parts = groups.get(key) ?? [];
    groups.set(key, parts);
    const last = parts.at(-1);
    if (last && (last.length + 1) * rows * columns <= NUMBERS_PER_RUN) last.push(matrix);
    else parts.push([matrix]);
  }
  return [...groups.values()].flat();
}

/** One step on matrices of one shape. All of them share the products of the iteration. */
function updateOf(matrices: readonly Matrix[], beta: number): Program {
  const graph = new Graph();
  const scalar = (name: string) => graph.input(name, []);
  const assign: { [state: string]: Tensor } = {};
  const short = Math.min(matrices[0]!.rows, matrices[0]!.columns);
  const long = Math.max(matrices[0]!.rows, matrices[0]!.columns);
  const wide = matrices.map(({ name, rows, columns }) => {
    const gradient = graph.mul(graph.state(gradientState(name), [rows, columns]), scalar('factor'));
    const before = graph.state(`momentum.${name}`, [rows, columns]);
    const momentum = graph.add(before, graph.mul(graph.sub(gradient, before), 1 - beta));
    assign[`momentum.${name}`] = momentum;
    const update = graph.add(gradient, graph.mul(graph.sub(momentum, gradient), beta));
    return graph.reshape(rows > columns ? graph.transpose(update, [1, 0]) : update, [1, short, long]);
  });
  const factors = newtonSchulz(graph, graph.concat(wide, 0));
  for (const [index, { name, rows, columns }] of matrices.entries()) {
    const factor = graph.reshape(graph.slice(factors, 0, index, index + 1), [short, long]);
    const update = rows > columns ? graph.transpose(factor, [1, 0]) : factor;
    const size = graph.mul(scalar('rate'), Math.sqrt(Math.max(1, rows / columns)));
    const kept = graph.mul(graph.state(name, [rows, columns]), scalar('keep'));
    assign[name] = graph.sub(kept, graph.mul(update, size));
  }
  return { outputs: {}, assign };
}
