import type { PolicyContext, PolicyEstimate, PolicyLoad } from '@agentgym/cli';

import { checkWeightShapes } from '../checkpoint/fill-weights.js';
import { readModelTexts } from '../checkpoint/model-folder.js';
import { refuseLargeTokenizer } from '../checkpoint/refuse-large-tokenizer.js';
import { readWeightShapes } from '../checkpoint/weight-files.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { parameterShapes } from '../model/parameters.js';
import { elementCount } from '../operations/shapes.js';
import type { TransformerOptions } from '../options.js';
import { presetConfig } from '../presets/presets.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { longestSequence, positionsOf, threadsOf } from './engine-sizes.js';
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
  { preset, from, valueHead, maxTokens }: Omit<PolicyContext, 'corpus'>,
  { sequences, tokens }: PolicyLoad,
): Promise<PolicyEstimate> {
  const config = from === undefined ? scratchConfig(options, preset, maxTokens) : await folderConfig(from);
  const positions = positionsOf(config, maxTokens);
  const shapes = [...parameterShapes(config, { valueHead }).values()];
  const parameters = shapes.reduce((sum, shape) => sum + elementCount(shape), 0);
  const threads = threadsOf(options);
  const longest = Math.min(positions, tokens);
  return {
    parameters,
    capabilities: capabilitiesOf({ valueHead, maxTokens: positions }),
    bytes: {
      // Each thread holds the weights and samples from a copy; the main thread holds the source data.
      weights: FLOAT * parameters * (2 * threads + 1),
      // Gradients of each thread, and two moments.
      optimizer: FLOAT * parameters * (threads + 2),
    },
    mostBeside: {
      activations: threads * activationBytes(config, options.microBatchTokens, longest),
      cache: Math.min(options.cacheMegabytes * 1e6, sequences * longest * cacheBytesPerToken(config)),
    },
  };
}

function scratchConfig(
  { vocabularySize }: TransformerOptions,
  preset: string | undefined,
  maxTokens: number | undefined,
): DecoderConfig {
  return presetConfig(preset ?? '', Math.min(vocabularySize, LIKELY_VOCABULARY), longestSequence(maxTokens));
}

/** Throws if `create` could not use the folder. */
async function folderConfig(directory: string): Promise<DecoderConfig> {
  const { config, tokenizer, ids } = await readModelTexts(directory);
  refuseLargeTokenizer(createConversationEncoder(tokenizer, ids.eos).vocabularySize, config);
  checkWeightShapes(await readWeightShapes(directory), parameterShapes(config, { valueHead: false }));
  return config;
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

function cacheBytesPerToken({ layers, keyValueHeads, headWidth }: DecoderConfig): number {
  return 2 * FLOAT * layers * keyValueHeads * headWidth;
}
