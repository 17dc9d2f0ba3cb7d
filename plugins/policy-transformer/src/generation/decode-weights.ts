import type { DecoderConfig } from '../model/decoder-config.js';
import { inputEmbedding, type DecoderWeights } from '../model/decoder-layer.js';
import { EMBEDDING, FINAL_NORM, HEAD, layerParameter, parameterShapes, projectionSizes } from '../model/parameters.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Shape, Tensor } from '../operations/tensor.js';
import type { ModelWeights } from './token-generator.js';

/** Weights of a decode graph and the names of their inputs. */
export interface JoinedWeights extends DecoderWeights {
  readonly names: ReadonlySet<string>;
  readonly embedding: Tensor;
  readonly head: Tensor;
  readonly finalNorm: Tensor;
}

/**
 * Joins matrices that read the same tensor into one graph input. Its name is the names of its parameters, joined by
 * `+`.
 */
export function joinedWeights(graph: GraphBuilder, config: DecoderConfig): JoinedWeights {
  const shapes = parameterShapes(config, { valueHead: false });
  const names = new Set<string>([EMBEDDING, FINAL_NORM, ...(config.tiedHead ? [] : [HEAD])]);
  const input = (name: string, shape: Shape): Tensor => {
    names.add(name);
    return graph.input(name, shape);
  };
  return {
    names,
    ...inputEmbedding(graph, config),
    finalNorm: graph.input(FINAL_NORM, [config.hiddenSize]),
    project(of, layer, parts) {
      const sizes = parts.map((part) => projectionSizes(config, part));
      const [{ inputs, bias }] = sizes as [(typeof sizes)[number]];
      const outputs = sizes.reduce((sum, size) => sum + size.outputs, 0);
      const joint = (kind: 'weight' | 'bias', shape: Shape) =>
        input(parts.map((part) => layerParameter(layer, part, kind)).join('+'), shape);
      const product = graph.matmul(of, joint('weight', [outputs, inputs]), { transposeRight: true });
      const whole = bias ? graph.add(product, joint('bias', [outputs])) : product;
      let start = 0;
      return sizes.map((size) => graph.slice(whole, 1, start, (start += size.outputs)));
    },
    norm: (layer, part) => {
      const name = layerParameter(layer, part);
      return input(name, shapes.get(name) ?? []);
    },
  };
}

/**
 * The data of such an input. If its parameters are adjacent in memory (see `parameterOrder`), it is a view, not a copy.
 */
export function joinedParameters(input: string, parameters: ModelWeights): Float32Array {
  return joined(
    input.split('+').map((name) => {
      const found = parameters.get(name);
      if (!found) throw new Error(`the model has no parameter ${name}`);
      return found;
    }),
  );
}

/**
 * Sorts names so that parameters that `joinedWeights` joins are neighbours. The order depends only on the set of names.
 */
export function parameterOrder(names: readonly string[]): string[] {
  const place = (name: string) => {
    const part = JOINED.findIndex((suffix) => name.endsWith(suffix));
    const base = part < 0 ? name : name.slice(0, -JOINED[part]!.length);
    return { base, part };
  };
  return names
    .map((name) => ({ name, ...place(name) }))
    .sort((a, b) => compare(a.base, b.base) || a.part - b.part || compare(a.name, b.name))
    .map(({ name }) => name);
}

const JOINED = ['weight', 'bias'].flatMap((kind) =>
  ['q_proj', 'k_proj', 'v_proj', 'gate_proj', 'up_proj'].map((part) => `${part}.${kind}`),
);

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const [first] = parts;
  if (first === undefined) return new Float32Array(0);
  if (parts.length === 1) return first;
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  let end = first.byteOffset;
  const adjacent = parts.every((part) => {
    const follows = part.buffer === first.buffer && part.byteOffset === end;
    end += part.byteLength;
    return follows;
  });
  if (adjacent) return new Float32Array(first.buffer, first.byteOffset, total);
  const whole = new Float32Array(total);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
