/*
 * The keys of config.json that say what each layer attends to: rotary angles, layers without them, sliding windows.
 * transformers 5 writes them as `rope_parameters`, in Gemma 3 one for each type of layer. Most published folders have
 * `rope_theta` and `rope_scaling`, and for the sliding layers of Gemma 3 `rope_local_base_freq`.
 */
import { attentionKindOf, type AttentionKind, type DecoderConfig, type Rope } from '../model/decoder-config.js';
import { count, entryPerLayer, flag, positive, refusal, section, show, type ConfigJson } from './config-values.js';

type Attention = Pick<DecoderConfig, 'attentionKinds' | 'attentionOfLayer'>;

const FULL = 'full_attention';
const SLIDING = 'sliding_attention';

/** Families whose config.json has other keys than rotary angles. */
const families: { readonly [family: string]: (config: ConfigJson, layers: number) => Attention } = {
  smollm3: readSmolLm3,
  gemma3_text: readGemma3,
};

/** The attention of each layer. Throws an error that names the key and value that cannot be computed. */
export function readAttention(family: DecoderConfig['family'], config: ConfigJson, layers: number): Attention {
  const read = families[family];
  if (read) return read(config, layers);
  refuseWindows(config);
  return { attentionKinds: [{ rope: readRope(config) }] };
}

/** A layer has rotary positions if its entry of `no_rope_layers` is 1. */
function readSmolLm3(config: ConfigJson, layers: number): Attention {
  refuseWindows(config);
  const interval = count(config, 'no_rope_layer_interval', 4);
  const rotated =
    entryPerLayer(config, 'no_rope_layers', layers, [0, 1]) ??
    Array.from({ length: layers }, (_, layer) => Number((layer + 1) % interval !== 0));
  const rope = readRope(config, 2_000_000);
  return attentionOf(
    [{ rope }, {}],
    rotated.map((does) => 1 - does),
  );
}

/** Without `layer_types`, every sixth layer sees all positions (`sliding_window_pattern`). */
function readGemma3(config: ConfigJson, layers: number): Attention {
  const patternKey = 'sliding_window_pattern' in config ? 'sliding_window_pattern' : '_sliding_window_pattern';
  const pattern = count(config, patternKey, 6);
  const types =
    entryPerLayer(config, 'layer_types', layers, [FULL, SLIDING]) ??
    Array.from({ length: layers }, (_, layer) => ((layer + 1) % pattern === 0 ? FULL : SLIDING));
  const parameters = section(config, 'rope_parameters');
  const ropeOf = (type: string, theta: number, older: ConfigJson) =>
    readRope(parameters[type] == null ? older : section(parameters, type), theta);
  const { rope_theta, rope_scaling, rope_local_base_freq } = config;
  const full = { rope: ropeOf(FULL, 1_000_000, { rope_theta, rope_scaling }) };
  if (!types.includes(SLIDING)) return { attentionKinds: [full] };
  const sliding = {
    rope: ropeOf(SLIDING, 10_000, { rope_theta: rope_local_base_freq }),
    window: count(config, 'sliding_window', 4096),
  };
  return attentionOf(
    [full, sliding],
    types.map((type) => Number(type === SLIDING)),
  );
}

/** The kinds that layers have, in the order of their first layers. */
function attentionOf(kinds: readonly AttentionKind[], kindOfLayer: readonly number[]): Attention {
  const used = [...new Set(kindOfLayer)];
  const [first, ...others] = used.map((kind) => kinds[kind]!) as [AttentionKind, ...AttentionKind[]];
  if (others.length === 0) return { attentionKinds: [first] };
  return { attentionKinds: [first, ...others], attentionOfLayer: kindOfLayer.map((kind) => used.indexOf(kind)) };
}

function readRope(config: ConfigJson, otherwise = 10_000): Rope {
  const parameters = section(config, config['rope_parameters'] == null ? 'rope_scaling' : 'rope_parameters');
  const theta = positive('rope_theta' in parameters ? parameters : config, 'rope_theta', otherwise);
  const kind = parameters['rope_type'] ?? parameters['type'] ?? 'default';
  if (kind === 'default') return { theta };
  if (kind !== 'llama3') throw refusal(`rope_type ${show(kind)} is not supported; supported: default, llama3`);
  const [low, high] = [positive(parameters, 'low_freq_factor'), positive(parameters, 'high_freq_factor')];
  // The angles between the two are divided by their difference.
  if (high <= low) throw refusal(`high_freq_factor must be larger than low_freq_factor ${low}, not ${high}`);
  return {
    theta,
    scaling: {
      kind,
      factor: positive(parameters, 'factor'),
      lowFrequencyFactor: low,
      highFrequencyFactor: high,
      originalMaxPositions: count(parameters, 'original_max_position_embeddings'),
    },
  };
}

function refuseWindows(config: ConfigJson): void {
  const kinds = config['layer_types'];
  const windows = Array.isArray(kinds)
    ? kinds.some((kind) => kind !== FULL)
    : flag(config, 'use_sliding_window', false);
  if (windows) {
    throw refusal('sliding-window attention (use_sliding_window, layer_types) is supported in gemma3_text only');
  }
}

/** The keys of every layer's attention, in the older spelling. */
export function writeAttention(config: DecoderConfig): ConfigJson {
  const { family, attentionKinds } = config;
  const perLayer = <Entry>(entry: (kind: AttentionKind) => Entry): Entry[] =>
    Array.from({ length: config.layers }, (_, layer) => entry(attentionKinds[attentionKindOf(config, layer)]!));
  const sliding = attentionKinds.find(({ window }) => window !== undefined);
  const rope = attentionKinds.find((kind) => kind !== sliding && kind.rope)?.rope;
  const spelled = {
    ...(rope && { rope_theta: rope.theta }),
    rope_scaling: scalingJson(rope),
  };
  switch (family) {
    case 'llama':
      return spelled;
    case 'qwen2':
    case 'qwen3':
      return { ...spelled, sliding_window: null, use_sliding_window: false };
    case 'smollm3':
      return {
        ...spelled,
        no_rope_layers: perLayer((kind) => Number(kind.rope !== undefined)),
        sliding_window: null,
        use_sliding_window: false,
      };
    case 'gemma3_text':
      return {
        ...spelled,
        ...(sliding && { rope_local_base_freq: sliding.rope!.theta, sliding_window: sliding.window }),
        layer_types: perLayer(({ window }) => (window === undefined ? FULL : SLIDING)),
      };
  }
}

function scalingJson(rope: Rope | undefined): ConfigJson | null {
  if (rope?.scaling === undefined) return null;
  const { factor, lowFrequencyFactor, highFrequencyFactor, originalMaxPositions } = rope.scaling;
  return {
    rope_type: 'llama3',
    factor,
    low_freq_factor: lowFrequencyFactor,
    high_freq_factor: highFrequencyFactor,
    original_max_position_embeddings: originalMaxPositions,
  };
}
