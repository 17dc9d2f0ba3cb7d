/*
 * Approximates the orthogonal factor of a matrix by five steps of a quintic Newton-Schulz iteration. Its slope at zero
 * is steep, so that singular values end in about [0.7, 1.2] (Jordan et al. 2024, "Muon",
 * https://kellerjordan.github.io/posts/muon).
 */
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';

const coefficients = [3.4445, -4.775, 2.0315] as const;
const iterations = 5;

/** The orthogonal factors of matrices [count, short, long] that are at least as wide as tall. */
export function newtonSchulz(graph: GraphBuilder, matrices: Tensor): Tensor {
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
