import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { parseDecoderConfig, parseSpecialIds, writeDecoderConfig } from './decoder-config-json.js';

const recorded = (name: string) =>
  JSON.parse(readFileSync(new URL(`./fixtures/configs/${name}.json`, import.meta.url), 'utf8')) as {
    [key: string]: unknown;
  };
const models = ['llama', 'llama-rope-llama3', 'qwen2', 'qwen3', 'qwen3-bfloat16', 'smollm3', 'gemma3'];

describe('parseDecoderConfig', () => {
  it.each(models)('reads both spellings of %s alike, and what it writes itself', (name) => {
    const config = parseDecoderConfig(recorded(`${name}.config`));
    expect(parseDecoderConfig(recorded(`${name}.config.hub-style`))).toEqual(config);
    expect(parseDecoderConfig(writeDecoderConfig(config, { eos: [2] }))).toEqual(config);
  });

  it('knows what tells the families apart', () => {
    expect(parseDecoderConfig(recorded('llama-rope-llama3.config'))).toEqual({
      family: 'llama',
      vocabularySize: 300,
      hiddenSize: 64,
      layers: 3,
      heads: 4,
      keyValueHeads: 2,
      headWidth: 16,
      intermediateSize: 160,
      maxPositions: 256,
      rmsEpsilon: 1e-5,
      attentionKinds: [
        {
          rope: {
            theta: 10_000,
            scaling: {
              kind: 'llama3',
              factor: 4,
              lowFrequencyFactor: 1,
              highFrequencyFactor: 4,
              originalMaxPositions: 64,
            },
          },
        },
      ],
      queryKeyValueBias: false,
      outputBias: false,
      mlpBias: false,
      queryKeyNorm: false,
      outputNorms: false,
      centeredNorms: false,
      activation: 'silu',
      embeddingScale: 1,
      tiedHead: false,
    });
    expect(parseDecoderConfig(recorded('qwen2.config'))).toMatchObject({
      queryKeyValueBias: true,
      outputBias: false,
      headWidth: 16,
      attentionKinds: [{ rope: { theta: 1e6 } }],
      tiedHead: true,
    });
    expect(parseDecoderConfig(recorded('qwen3.config'))).toMatchObject({ queryKeyNorm: true, headWidth: 24 });
    expect(parseDecoderConfig(recorded('smollm3.config'))).toMatchObject({
      attentionKinds: [{ rope: { theta: 500 } }, {}],
      attentionOfLayer: [0, 1, 0],
      queryKeyNorm: false,
      tiedHead: true,
    });
    expect(parseDecoderConfig(recorded('gemma3.config'))).toMatchObject({
      headWidth: 12,
      attentionKinds: [{ rope: { theta: 20 }, window: 6 }, { rope: { theta: 500 } }],
      attentionOfLayer: [0, 1, 0],
      queryScalar: 20,
      queryKeyNorm: true,
      outputNorms: true,
      centeredNorms: true,
      activation: 'gelu-tanh',
      embeddingScale: Math.sqrt(32),
      tiedHead: true,
    });
  });

  // The defaults of `transformers` 5.23, which published folders leave out.
  it('takes what a family leaves out by its defaults', () => {
    const sizes = {
      vocab_size: 300,
      hidden_size: 64,
      num_hidden_layers: 7,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      intermediate_size: 160,
      max_position_embeddings: 256,
    };
    expect(parseDecoderConfig({ ...sizes, model_type: 'smollm3' })).toMatchObject({
      attentionKinds: [{ rope: { theta: 2e6 } }, {}],
      attentionOfLayer: [0, 0, 0, 1, 0, 0, 0],
      tiedHead: true,
    });
    expect(
      parseDecoderConfig({ ...sizes, model_type: 'smollm3', no_rope_layers: [1, 1, 1, 1, 1, 1, 1] }),
    ).toMatchObject({
      attentionKinds: [{ rope: { theta: 2e6 } }],
    });
    expect(parseDecoderConfig({ ...sizes, model_type: 'gemma3_text' })).toMatchObject({
      headWidth: 256,
      attentionKinds: [{ rope: { theta: 1e4 }, window: 4096 }, { rope: { theta: 1e6 } }],
      attentionOfLayer: [0, 0, 0, 0, 0, 1, 0],
      queryScalar: 256,
      tiedHead: true,
    });
  });

  it.each<[string, string, object, RegExp]>([
    ['capped scores', 'gemma3', { attn_logit_softcapping: 50 }, /attn_logit_softcapping 50 is not supported/],
    ['capped logits', 'gemma3', { final_logit_softcapping: 30 }, /final_logit_softcapping 30/],
    ['attention to later tokens', 'gemma3', { use_bidirectional_attention: true }, /use_bidirectional_attention/],
    [
      'another kind of layer',
      'gemma3',
      { layer_types: ['full_attention', 'chunked', 'x'] },
      /layer_types has "chunked"/,
    ],
    ['a list that is too short', 'smollm3', { no_rope_layers: [1, 0] }, /no_rope_layers must be .* each of 3 layers/],
    ['an entry that says nothing', 'smollm3', { no_rope_layers: [1, 0, 2] }, /no_rope_layers has 2; supported: 0, 1/],
    ['windows in another family', 'smollm3', { use_sliding_window: true, layer_types: undefined }, /sliding-window/],
  ])('refuses %s by name', (_, name, change, message) => {
    expect(() => parseDecoderConfig({ ...recorded(`${name}.config`), ...change })).toThrow(message);
  });

  it.each<[string, object, RegExp]>([
    [
      'another model on the same trunk',
      { architectures: ['Qwen3ForSequenceClassification'] },
      /Qwen3ForSequenceClassification is not supported; supported: LlamaForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM, SmolLM3ForCausalLM, Gemma3ForCausalLM/,
    ],
    [
      'another family',
      { model_type: 'mistral' },
      /model_type "mistral" is not supported; supported: llama, qwen2, qwen3, smollm3, gemma3_text/,
    ],
    ['another activation', { hidden_act: 'gelu' }, /hidden_act "gelu"/],
    ['another rotary scaling', { rope_parameters: { rope_type: 'yarn', factor: 4 } }, /rope_type "yarn"/],
    [
      'the old name of a scaling',
      { rope_parameters: undefined, rope_scaling: { type: 'linear', factor: 2 } },
      /rope_type "linear"/,
    ],
    ['sliding windows', { use_sliding_window: true }, /sliding-window/],
    ['layers with sliding windows', { layer_types: ['full_attention', 'sliding_attention'] }, /sliding-window/],
    ['quantized weights', { quantization_config: { bits: 4 } }, /quantization_config/],
    ['rotary positions on half a head', { partial_rotary_factor: 0.5 }, /partial_rotary_factor 0.5/],
    ['a missing size', { hidden_size: undefined }, /hidden_size is missing/],
    [
      'a size that is none',
      { num_hidden_layers: '3' },
      /num_hidden_layers must be a positive whole number up to 10000, not "3"/,
    ],
    // Mutation: take any number of layers. The list of their shapes then fills the memory.
    ['a billion layers', { num_hidden_layers: 1e9 }, /num_hidden_layers must be .* up to 10000, not 1000000000/],
    ['layers below 0', { num_hidden_layers: -1 }, /num_hidden_layers must be .*, not -1/],
    ['half a layer', { num_hidden_layers: 2.5 }, /num_hidden_layers must be .*, not 2.5/],
    ['a vocabulary without end', { vocab_size: 1e15 }, /vocab_size must be .* up to 2147483647, not 1000000000000000/],
    ['heads without width', { head_dim: 0 }, /head_dim must be .*, not 0/],
    ['an infinite base', { rope_parameters: { rope_theta: Infinity } }, /rope_theta must be a positive number up to/],
    ['a scaling that is a text', { rope_parameters: 'llama3' }, /rope_parameters must be an object, not "llama3"/],
    ['a window that is a text', { use_sliding_window: 'true' }, /use_sliding_window must be true or false/],
    ['an architecture outside of a list', { architectures: 'Llama' }, /architectures must be a list, not "Llama"/],
    ['the name of a member of objects', { model_type: 'constructor' }, /model_type "constructor" is not supported/],
    [
      'a scaling without a range',
      {
        rope_parameters: {
          ...{ rope_type: 'llama3', factor: 8, low_freq_factor: 4, high_freq_factor: 4 },
          original_max_position_embeddings: 8192,
        },
      },
      /high_freq_factor must be larger than low_freq_factor 4, not 4/,
    ],
    ['groups that do not divide', { num_key_value_heads: 3 }, /3 does not divide num_attention_heads 4/],
    ['a head of odd width', { head_dim: 15 }, /head_dim 15 is odd/],
  ])('refuses %s of llama by name', (_, change, message) => {
    expect(() => parseDecoderConfig({ ...recorded('llama.config'), ...change })).toThrow(message);
  });

  it('takes the other keys by their defaults', () => {
    const { num_key_value_heads: _, head_dim: __, ...config } = recorded('llama.config');
    expect(parseDecoderConfig(config)).toMatchObject({ keyValueHeads: 4, headWidth: 16 });
  });

  it('refuses what is no object', () => {
    expect(() => parseDecoderConfig([])).toThrow(/not a JSON object/);
  });
});

describe('parseSpecialIds', () => {
  it('reads one end id, several, or none', () => {
    expect(parseSpecialIds({ eos_token_id: 2, bos_token_id: 1, pad_token_id: 0 })).toEqual({
      bos: 1,
      eos: [2],
      pad: 0,
    });
    expect(parseSpecialIds({ eos_token_id: [3, 4] })).toEqual({ eos: [3, 4] });
    expect(parseSpecialIds({ eos_token_id: null })).toEqual({ eos: [] });
    expect(parseSpecialIds({ eos_token_id: [2, -1], pad_token_id: -1 })).toEqual({ eos: [2] });
  });

  it.each([1.5, '</s>', {}, -2, 1e300])('refuses the end id %s', (id) => {
    expect(() => parseSpecialIds({ eos_token_id: id })).toThrow(/eos_token_id .* is not the id of a token/);
  });
});
