import type { DecoderConfig } from '../model/decoder-config.js';

/** Parameters by the names of a Hugging Face checkpoint. */
export type Parameters = ReadonlyMap<string, Float32Array>;

/**
 * The weights of `decodeGraph` by its names. Projections that read the same input are joined into one; where their parameters stand side by side in
 * memory (`parameterOrder` sees to it) that is a view, not a copy.
 */
export function decodeWeights(config: DecoderConfig, parameters: Parameters): { [name: string]: Float32Array } {
  const weights: { [name: string]: Float32Array } = {};
  const take = (name: string, ...parts: readonly string[]) => {
    weights[name] = joined(parts.map((part) => required(parameters, part)));
  };
  take('embedding', 'model.embed_tokens.weight');
  take('norm', 'model.norm.weight');
  if (!config.tiedHead) take('head', 'lm_head.weight');
  for (let layer = 0; layer < config.layers; layer += 1) {
    const isLast = layer === config.layers - 1;
    const prefix = `model.layers.${layer}`;
    take(`${layer}.attentionNorm`, `${prefix}.input_layernorm.weight`);
    take(`${layer}.feedForwardNorm`, `${prefix}.post_attention_layernorm.weight`);
    if (config.queryKeyNorm) {
      take(`${layer}.queryNorm`, `${prefix}.self_attn.q_norm.weight`);
      take(`${layer}.keyNorm`, `${prefix}.self_attn.k_norm.weight`);
    }
    const linear = (name: string, bias: boolean, ...parts: readonly string[]) => {
      take(`${layer}.${name}`, ...parts.map((part) => `${prefix}.${part}.weight`));
      if (bias) take(`${layer}.${name}.bias`, ...parts.map((part) => `${prefix}.${part}.bias`));
    };
    const [query, ...keyValue] = ['q', 'k', 'v'].map((part) => `self_attn.${part}_proj`) as [string, string, string];
    if (isLast) {
      linear('query', config.queryKeyValueBias, query);
      linear('keyValue', config.queryKeyValueBias, ...keyValue);
    } else linear('queryKeyValue', config.queryKeyValueBias, query, ...keyValue);
    linear('output', config.outputBias, 'self_attn.o_proj');
    linear('gateUp', config.mlpBias, 'mlp.gate_proj', 'mlp.up_proj');
    linear('down', config.mlpBias, 'mlp.down_proj');
  }
  return weights;
}

/** Names in an order in which parameters that `decodeWeights` joins are neighbours. Depends on the set of names alone. */
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

function required(parameters: Parameters, name: string): Float32Array {
  const found = parameters.get(name);
  if (!found) throw new Error(`the model has no parameter ${name}`);
  return found;
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
