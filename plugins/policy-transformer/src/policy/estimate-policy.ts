import type { ConversationEncoder, PolicyContext, PolicyEstimate, PolicyLoad, OutsideFiles } from '@agentgym/cli';

import { adapterOf, openModel, type BaseSearch } from '../checkpoint/adapter-folder.js';
import { likelyRuntime } from '../executors/load-runtime.js';
import { copyBytes } from '../generation/quantized-weights.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { frozenShapes, trainableShapes } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import { loraOf, type TransformerOptions } from '../options.js';
import { presetConfig } from '../presets/presets.js';
import { refuseThinking } from '../tokenizer/read-chat-layout.js';
import { openTriedEncoder } from '../tokenizer/try-tokenizer.js';
import { contextOfPreset, coresOf, engines, positionsOf } from './engine-sizes.js';
import { longestEpisodes, memoryAtCaps } from './memory-at-caps.js';
import { capabilitiesOf } from './transformer-policy.js';

/** What is known of a model before its weights are read. */
interface Sketch {
  readonly config: DecoderConfig;
  /** Absent for a model from scratch: its tokenizer is built from demonstrations. */
  readonly encoder?: ConversationEncoder;
}

/**
 * Estimates the size of a policy and its memory. From a folder it reads everything except the weights, and only their
 * shapes. The vocabulary of a model from scratch is not known before its demonstrations are.
 */
export async function estimate(
  options: TransformerOptions,
  { cacheDirectory, preset, from, valueHead, samplesOnly, maxTokens, ...search }: Omit<PolicyContext, 'corpus'>,
  given: PolicyLoad,
  files: OutsideFiles,
): Promise<PolicyEstimate> {
  // Each turn may begin a sequence of its own.
  const load = options.thinking === 'drop' ? { ...given, rows: given.rows * given.trainedTurns } : given;
  const { config, encoder } =
    from === undefined
      ? sketchScratch(options, preset, maxTokens)
      : await sketchFolder(files, from, options, search, cacheDirectory);
  samplingCopyBytes(options, config);
  const positions = positionsOf(config, maxTokens);
  const lora = loraOf(options);
  const parts = { valueHead, ...(lora && { adapter: adapterOf(lora) }) };
  const cores = coresOf(options, config);
  return {
    parameters: totalElements(trainableShapes(config, parts)),
    ...(lora && { frozenParameters: totalElements(frozenShapes(config, parts)) }),
    capabilities: {
      ...capabilitiesOf(parts, positions, options.samplingWeights),
      ...(from !== undefined && { vocabularySize: config.vocabularySize }),
    },
    bytes: memoryAtCaps({
      ...{ config, parts, cores, samplesOnly, load, ...longestEpisodes(load, config, maxTokens) },
      isWasm: isWasm(engines[options.engine]),
      ...memoryLimits(options),
    }),
    smaller: smallerOptions(options, { isFolder: from !== undefined, isLayered: cores.layered, cores: cores.count }),
    ...(encoder && { encoder }),
  };
}

/** The options that limit memory. */
export function memoryLimits(options: TransformerOptions) {
  const { microBatchTokens, activationMegabytes, cacheMegabytes, samplingWeights } = options;
  const [activationBytes, cacheBytes] = [activationMegabytes * 1e6, cacheMegabytes * 1e6];
  return { microBatchTokens, activationBytes, cacheBytes, samplingWeights };
}

function isWasm(engine: (typeof engines)[keyof typeof engines]): boolean {
  return (engine === 'auto' || engine === 'onnxruntime-web') && likelyRuntime(engine) === 'onnxruntime-web';
}

/** Throws if the copy that sampling uses is too large. */
export function samplingCopyBytes({ samplingWeights }: TransformerOptions, config: DecoderConfig): number {
  return samplingWeights === 'float32' ? 0 : copyBytes(config, samplingWeights);
}

/** Tokens of a tokenizer that is built from the text of an environment, at most: the built-in ones have up to 900. */
const LIKELY_VOCABULARY = 1024;

function sketchScratch(
  { vocabularySize, thinking }: TransformerOptions,
  preset: string | undefined,
  maxTokens: number | undefined,
): Sketch {
  refuseThinking(thinking);
  const vocabulary = Math.min(vocabularySize, LIKELY_VOCABULARY);
  return { config: presetConfig(preset ?? '', vocabulary, contextOfPreset(maxTokens)) };
}

/** Throws if `create` could not use the folder. */
async function sketchFolder(
  files: OutsideFiles,
  directory: string,
  { thinking }: TransformerOptions,
  search: BaseSearch,
  cacheDirectory: string | undefined,
): Promise<Sketch> {
  const { config, tokenizer, ids } = await openModel(files, directory, search);
  const settings = { endIds: ids.eos, embeddingRows: config.vocabularySize, thinking };
  const encoder = await openTriedEncoder(tokenizer, settings, cacheDirectory);
  return { config, encoder };
}

/** Smaller values of the options that matter, largest first. */
function smallerOptions(
  { microBatchTokens, activationMegabytes, cacheMegabytes, loraRank }: TransformerOptions,
  { isFolder, isLayered, cores }: { readonly isFolder: boolean; readonly isLayered: boolean; readonly cores: number },
): { readonly [option: string]: readonly number[] } {
  const below = (values: readonly number[], value: number) => values.filter((each) => each < value);
  return {
    ...(isFolder && { loraRank: loraRank === null ? [16] : below([64, 16, 8, 4], loraRank) }),
    ...(isLayered && { activationMegabytes: below([512, 256, 128, 0], activationMegabytes) }),
    microBatchTokens: below([4096, 2048, 1024, 512, 256], microBatchTokens),
    cacheMegabytes: below([1024, 512, 256, 128, 64], cacheMegabytes),
    // Threads of a large model share its weights.
    ...(!isLayered && { threads: below([4, 2, 1], cores) }),
  };
}
