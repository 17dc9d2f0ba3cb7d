import type { ConversationEncoder, PolicyContext, PolicyEstimate, PolicyLoad } from '@agentgym/cli';

import { adapterOf, openModel } from '../checkpoint/adapter-folder.js';
import { checkWeightShapes } from '../checkpoint/fill-weights.js';
import { readWeightShapes } from '../checkpoint/weight-files.js';
import { copyBytes } from '../generation/quantized-weights.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { frozenShapes, parameterShapes, trainableShapes } from '../model/parameters.js';
import { loraOf, type TransformerOptions } from '../options.js';
import { totalElements } from '../operations/shapes.js';
import { presetConfig } from '../presets/presets.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { refuseThinking } from '../tokenizer/read-chat-layout.js';
import { SLOTS_OF_HEAD } from '../worker/layered-trainer.js';
import { coresOf, longestSequence, positionsOf } from './engine-sizes.js';
import { capabilitiesOf } from './transformer-policy.js';

/** Texts of small environments have at most this many tokens. Only their demonstrations give the exact number. */
const LIKELY_VOCABULARY = 1024;
const FLOAT = 4;

/**
 * Estimates the size of a policy and its memory. From a folder it reads everything except the weights, and only their
 * shapes.
 */
export async function estimate(
  options: TransformerOptions,
  { preset, from, valueHead, maxTokens, findModel }: Omit<PolicyContext, 'corpus'>,
  { sequences, tokens }: PolicyLoad,
): Promise<PolicyEstimate> {
  const { config, encoder } =
    from === undefined
      ? { config: scratchConfig(options, preset, maxTokens) }
      : await readFolder(from, options, findModel);
  const positions = positionsOf(config, maxTokens);
  const lora = loraOf(options);
  const parts = { valueHead, ...(lora && { adapter: adapterOf(lora) }) };
  const trained = totalElements(trainableShapes(config, parts));
  const frozen = totalElements(frozenShapes(config, parts));
  const { count: cores, layered } = coresOf(options, config);
  const activations = layered ? layeredActivationBytes : activationBytes;
  const longest = Math.min(positions, tokens);
  const copy = samplingCopyBytes(options, config);
  return {
    parameters: trained,
    capabilities: capabilitiesOf(parts, positions, options.samplingWeights),
    bytes: {
      // Each core holds the weights and samples from a copy of small ones; the main thread holds the source data.
      weights: FLOAT * (trained * (2 * cores + 1) + frozen * cores),
      // Gradients of each core, and two moments.
      optimizer: FLOAT * trained * (cores + 2),
      ...(copy > 0 && { copy: cores * copy }),
    },
    mostBeside: {
      activations: cores * activations(config, options.microBatchTokens, longest),
      cache: Math.min(options.cacheMegabytes * 1e6, sequences * longest * cacheBytesPerToken(config)),
      // While a session is made, the engine holds several copies.
      ...(copy > 0 && { copying: 4 * cores * copy }),
    },
    ...(encoder && { encoder }),
  };
}

/** Throws if the copy that sampling uses is too large. */
export function samplingCopyBytes({ samplingWeights }: TransformerOptions, config: DecoderConfig): number {
  return samplingWeights === 'float32' ? 0 : copyBytes(config, samplingWeights);
}

function scratchConfig(
  { vocabularySize, thinking }: TransformerOptions,
  preset: string | undefined,
  maxTokens: number | undefined,
): DecoderConfig {
  refuseThinking(thinking);
  return presetConfig(preset ?? '', Math.min(vocabularySize, LIKELY_VOCABULARY), longestSequence(maxTokens));
}

/** Throws if `create` could not use the folder. */
async function readFolder(
  directory: string,
  { thinking }: TransformerOptions,
  findModel: PolicyContext['findModel'],
): Promise<{ config: DecoderConfig; encoder?: ConversationEncoder }> {
  const { config, tokenizer, ids, base } = await openModel(directory, findModel);
  const encoder = createConversationEncoder(tokenizer, {
    endIds: ids.eos,
    embeddingRows: config.vocabularySize,
    thinking,
  });
  checkWeightShapes(await readWeightShapes(base), parameterShapes(config, { valueHead: false }));
  return { config, encoder };
}

/**
 * Memory of a training run on one thread: values of each layer that the backward pass needs, attention, and logits with
 * their gradients.
 */
function activationBytes(config: DecoderConfig, microBatchTokens: number, longest: number): number {
  const { layers, hiddenSize, intermediateSize, heads, headWidth, vocabularySize } = config;
  const width = Math.min(longest, microBatchTokens);
  const perLayer = 8 * hiddenSize + 4 * heads * headWidth + 4 * intermediateSize + 2 * heads * width;
  return FLOAT * microBatchTokens * (layers * perLayer + 3 * vocabularySize);
}

/**
 * Memory of training layer by layer: the inputs of the layers, the values of one layer and their gradients, and the
 * logits of one part of the head with what is computed of them.
 */
function layeredActivationBytes(config: DecoderConfig, microBatchTokens: number, longest: number): number {
  const { layers, hiddenSize, intermediateSize, heads, headWidth, vocabularySize } = config;
  const width = Math.min(longest, microBatchTokens);
  const inputs = (layers + 2) * hiddenSize;
  const oneLayer = 2 * (10 * hiddenSize + 4 * heads * headWidth + 5 * intermediateSize) + 3 * heads * width;
  return FLOAT * (microBatchTokens * (inputs + oneLayer) + 6 * SLOTS_OF_HEAD * vocabularySize);
}

function cacheBytesPerToken({ layers, keyValueHeads, headWidth }: DecoderConfig): number {
  return 2 * FLOAT * layers * keyValueHeads * headWidth;
}
