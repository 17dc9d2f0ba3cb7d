/*
 * Approximates the orthogonal factor of a matrix by five steps of a quintic Newton-Schulz iteration. Its slope at zero
 * is steep, so that singular values end in about [0.7, 1.2] (Jordan et al. 2024, "Muon",
 * https://kellerjordan.github.io/posts/muon). The products run in the engine. Matrices of the same shape share one
 * batched product.
 */
import type { Executable, Executor } from '../executors/executor.js';
import { Graph } from '../graph/graph.js';
import type { Tensor } from '../operations/tensor.js';

const coefficients = [3.4445, -4.775, 2.0315] as const;
const iterations = 5;

/** One run has at most this many numbers, so that it takes well below a second. */
const numbersPerRun = 2 ** 20;

/** A matrix, row-major. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
}

/** Replaces matrices by their orthogonal factors, in place. */
export class Orthogonalizer {
  readonly #executor: Executor;
  readonly #programs = new Map<string, Executable>();

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  async apply(matrices: readonly Matrix[]): Promise<void> {
    for (const group of groupByShape(matrices)) {
      const short = Math.min(group[0]!.rows, group[0]!.columns);
      const long = Math.max(group[0]!.rows, group[0]!.columns);
      const size = short * long;
      const together = Math.max(1, Math.floor(numbersPerRun / size));
      for (let start = 0; start < group.length; start += together) {
        const batch = group.slice(start, start + together);
        const stacked = new Float32Array(batch.length * size);
        batch.forEach((matrix, index) => toWide(matrix, stacked.subarray(index * size, (index + 1) * size)));
        const program = await this.#program(batch.length, short, long);
        const { factors } = await program.run({ matrices: stacked });
        batch.forEach((matrix, index) =>
          fromWide((factors as Float32Array).subarray(index * size, (index + 1) * size), matrix),
        );
      }
    }
  }

  async dispose(): Promise<void> {
    for (const program of this.#programs.values()) await program.dispose();
    this.#programs.clear();
  }

  async #program(count: number, short: number, long: number): Promise<Executable> {
    const key = `${count} ${short} ${long}`;
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    const graph = new Graph();
    const factors = newtonSchulz(graph, graph.input('matrices', [count, short, long]));
    const program = await this.#executor.compile({ outputs: { factors } });
    this.#programs.set(key, program);
    return program;
  }
}

/** The orthogonal factors of wide matrices [count, short, long]. */
function newtonSchulz(graph: Graph, matrices: Tensor): Tensor {
  const [a, b, c] = coefficients;
  const norm = graph.sqrt(graph.sum(graph.mul(matrices, matrices), { axes: [1, 2], keep: true }));
  let x = graph.div(matrices, graph.add(norm, 1e-7));
  for (let step = 0; step < iterations; step += 1) {
    const gram = graph.matmul(x, x, { transposeRight: true });
    const polynomial = graph.add(graph.mul(gram, b), graph.matmul(gram, gram, { scale: c }));
    x = graph.add(graph.mul(x, a), graph.matmul(polynomial, x));
  }
  return x;
}

/** Groups matrices of the same shape, tall or wide, in order of first appearance. */
function groupByShape(matrices: readonly Matrix[]): Matrix[][] {
  const groups = new Map<string, Matrix[]>();
  for (const matrix of matrices) {
    const key = `${Math.min(matrix.rows, matrix.columns)} ${Math.max(matrix.rows, matrix.columns)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [matrix]);
    else group.push(matrix);
  }
  return [...groups.values()];
}

/** Copies a matrix, and transposes it if it has more rows than columns. */
function toWide({ rows, columns, data }: Matrix, wide: Float32Array): void {
  if (rows <= columns) {
    wide.set(data);
    return;
  }
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) wide[column * rows + row] = data[row * columns + column]!;
  }
}

function fromWide(wide: Float32Array, { rows, columns, data }: Matrix): void {
  if (rows <= columns) {
    data.set(wide);
    return;
  }
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) data[row * columns + column] = wide[column * rows + row]!;
  }
}
