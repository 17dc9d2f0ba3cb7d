import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import type { DecoderConfig } from './decoder-config.js';

/** The nonlinear function of the gate in a layer's MLP. */
export function activate(graph: GraphBuilder, { activation }: DecoderConfig, of: Tensor): Tensor {
  return activation === 'silu' ? graph.silu(of) : geluTanh(graph, of);
}

/**
 * GELU in its approximation by tanh (Hendrycks & Gimpel 2016): x / 2 (1 + tanh(u)), with u = sqrt(2 / pi) (x + 0.044715
 * x^3). That is x sigmoid(2 u).
 */
function geluTanh(graph: GraphBuilder, x: Tensor): Tensor {
  const factor = 2 * Math.sqrt(2 / Math.PI);
  const slope = graph.add(graph.mul(graph.mul(x, x), 0.044715 * factor), factor);
  return graph.mul(x, graph.sigmoid(graph.mul(x, slope)));
}
