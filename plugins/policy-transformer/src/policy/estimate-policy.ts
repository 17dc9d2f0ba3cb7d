import type { ConversationEncoder, PolicyContext, PolicyEstimate, PolicyLoad, OutsideFiles } from '@agentgym/cli';

import { adapterOf, openModel, type BaseSearch } from '../checkpoint/adapter-folder.js';
import { likelyRuntime } from '../executors/load-runtime.js';
import { copyBytes } from '../generation/quantized-weights.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { frozenShapes, trainableShapes } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import { loraOf, type TransformerOptions } from '../options.js';
import { presetConfig } from '../presets/presets.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { refuseThinking } from '../tokenizer/read-chat-layout.js';
import { trainByteLevelTokenizer } from '../tokenizer/train-byte-level-tokenizer.js';
import { trainWordTokenizer } from '../tokenizer/train-word-tokenizer.js';
import { openTriedEncoder } from '../tokenizer/try-tokenizer.js';
import { countMemory } from './count-memory.js';
import { coresOf, engines, longestSequence, positionsOf } from './engine-sizes.js';
import { episodeLengths } from './episode-lengths.js';
import { capabilitiesOf } from './transformer-policy.js';

/** What is known of a model before its weights are read. */
interface Sketch {
  readonly config: DecoderConfig;
  readonly encoder: ConversationEncoder;
}

/**
 * Estimates the size of a policy and its memory. From a folder it reads everything except the weights, and only their
 * shapes. The tokenizer of a model from scratch is built from the load's conversations, which are fewer than those of the
 * run, so its vocabulary may be smaller.
 */
export async function estimate(
  options: TransformerOptions,
  { cacheDirectory, preset, from, valueHead, samplesOnly, maxTokens, ...search }: Omit<PolicyContext, 'corpus'>,
  load: PolicyLoad,
  files: OutsideFiles,
): Promise<PolicyEstimate> {
  const { config, encoder } =
    from === undefined
      ? await sketchScratch(options, preset, maxTokens, load)
      : await sketchFolder(files, from, options, search, cacheDirectory);
  samplingCopyBytes(options, config);
  const positions = positionsOf(config, maxTokens);
  const lora = loraOf(options);
  const parts = { valueHead, ...(lora && { adapter: adapterOf(lora) }) };
  const cores = coresOf(options, config);
  const lengths = episodeLengths(load, encoder, positions);
  return {
    parameters: totalElements(trainableShapes(config, parts)),
    ...(lora && { frozenParameters: totalElements(frozenShapes(config, parts)) }),
    capabilities: {
      ...capabilitiesOf(parts, positions, options.samplingWeights),
      ...(from !== undefined && { vocabularySize: config.vocabularySize }),
    },
    bytes: await countMemory({
      // Longer rotary tables take much longer to make, and hardly any memory.
      config: { ...config, maxPositions: lengths.longest },
      parts,
      cores,
      isWasm: isWasm(engines[options.engine]),
      microBatchTokens: options.microBatchTokens,
      activationBytes: options.activationMegabytes * 1e6,
      cacheBytes: options.cacheMegabytes * 1e6,
      samplingWeights: options.samplingWeights,
      samplesOnly,
      load,
      lengths,
    }),
    smaller: smallerOptions(options, { isFolder: from !== undefined, isLayered: cores.layered, cores: cores.count }),
    // The run builds its tokenizer of a model from scratch from more text.
    ...(from !== undefined && { encoder }),
  };
}

function isWasm(engine: (typeof engines)[keyof typeof engines]): boolean {
  return (engine === 'auto' || engine === 'onnxruntime-web') && likelyRuntime(engine) === 'onnxruntime-web';
}

/** Tokens of a tokenizer without a sample of its text: environments are small. */
const LIKELY_VOCABULARY = 1024;

/** Throws if the copy that sampling uses is too large. */
export function samplingCopyBytes({ samplingWeights }: TransformerOptions, config: DecoderConfig): number {
  return samplingWeights === 'float32' ? 0 : copyBytes(config, samplingWeights);
}

async function sketchScratch(
  { tokenizer, vocabularySize, thinking }: TransformerOptions,
  preset: string | undefined,
  maxTokens: number | undefined,
  { conversations }: PolicyLoad,
): Promise<Sketch> {
  refuseThinking(thinking);
  const train = tokenizer === 'words' ? trainWordTokenizer : trainByteLevelTokenizer;
  const texts = conversations.map(({ system, observations, texts: actions }) =>
    [system, ...observations, ...actions].join('\n'),
  );
  const encoder = createConversationEncoder(await train(texts, { vocabularySize }));
  const count = texts.length === 0 ? Math.min(vocabularySize, LIKELY_VOCABULARY) : encoder.vocabularySize;
  return { config: presetConfig(preset ?? '', count, longestSequence(maxTokens)), encoder };
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
