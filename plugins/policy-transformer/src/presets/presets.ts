/*
 * Models that are built from scratch. All are plain Llama: most programs support this architecture, and it has the
 * fewest operations per token, which dominate the time of the smallest models. Heads are tied to the embedding, and
 * there are no biases.
 */
import type { DecoderConfig } from '../model/decoder-config.js';

interface Sizes {
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly intermediateSize: number;
}

/** Parameters are counted without the embedding, which has hiddenSize numbers for each token of the vocabulary. */
const sizes = {
  pico: { hiddenSize: 64, layers: 2, heads: 4, intermediateSize: 128 },
  nano: { hiddenSize: 96, layers: 3, heads: 4, intermediateSize: 192 },
  micro: { hiddenSize: 128, layers: 4, heads: 4, intermediateSize: 384 },
  mini: { hiddenSize: 256, layers: 5, heads: 8, intermediateSize: 768 },
  medium: { hiddenSize: 384, layers: 6, heads: 6, intermediateSize: 1024 },
  small: { hiddenSize: 512, layers: 9, heads: 8, intermediateSize: 1408 },
} as const satisfies { readonly [name: string]: Sizes };

type PresetName = keyof typeof sizes;

/** Names and summaries, smallest first, as `agentgym describe policy transformer` lists them. */
export const presets: readonly { readonly name: PresetName; readonly summary: string }[] = (
  Object.keys(sizes) as PresetName[]
).map((name) => {
  const { hiddenSize, layers, heads } = sizes[name];
  const parameters = countParameters(sizes[name]);
  const count = parameters < 999_500 ? `${Math.round(parameters / 1000)} k` : `${(parameters / 1e6).toPrecision(2)} M`;
  return { name, summary: `${count} parameters: hidden size ${hiddenSize}, ${layers} layers, ${heads} heads` };
});

/** The configuration of a preset. Throws on an unknown name. The error lists the known ones. */
export function presetConfig(name: string, vocabularySize: number, maxPositions: number): DecoderConfig {
  if (!Object.hasOwn(sizes, name)) {
    throw new Error(`there is no preset ${JSON.stringify(name)}; available: ${Object.keys(sizes).join(', ')}`);
  }
  const { hiddenSize, layers, heads, intermediateSize } = sizes[name as PresetName];
  return {
    family: 'llama',
    vocabularySize,
    hiddenSize,
    layers,
    heads,
    keyValueHeads: heads,
    headWidth: hiddenSize / heads,
    intermediateSize,
    maxPositions,
    rmsEpsilon: 1e-5,
    attentionKinds: [{ rope: { theta: 10_000 } }],
    queryKeyValueBias: false,
    outputBias: false,
    mlpBias: false,
    queryKeyNorm: false,
    outputNorms: false,
    centeredNorms: false,
    activation: 'silu',
    embeddingScale: 1,
    tiedHead: true,
  };
}

/** Number of parameters of the layers and the final norm. */
function countParameters({ hiddenSize, layers, intermediateSize }: Sizes): number {
  const layer = 4 * hiddenSize ** 2 + 3 * hiddenSize * intermediateSize + 2 * hiddenSize;
  return layers * layer + hiddenSize;
}
