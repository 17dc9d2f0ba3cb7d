import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { EncoderSource, Host, PolicyContext, PolicyModel } from '@agentgym/cli';

import type { AdapterSettings } from '../checkpoint/adapter-config.js';
import { adapterOf, openModel, readAdapterWeights, type OpenedModel } from '../checkpoint/adapter-folder.js';
import { hashBase } from '../checkpoint/base-hash.js';
import { fillWeights, refuseNotFinite } from '../checkpoint/fill-weights.js';
import { mergeAdapter } from '../checkpoint/merge-adapter.js';
import {
  frozenShapes,
  initializeAdapter,
  initializeParameters,
  parameterShapes,
  trainableShapes,
  type ParameterOptions,
} from '../model/parameters.js';
import { loraOf, type TransformerOptions } from '../options.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { totalElements } from '../operations/shapes.js';
import { presetConfig } from '../presets/presets.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { refuseThinking } from '../tokenizer/read-chat-layout.js';
import type { TokenizerFiles } from '../tokenizer/tokenizer-files.js';
import { trainByteLevelTokenizer } from '../tokenizer/train-byte-level-tokenizer.js';
import { trainWordTokenizer } from '../tokenizer/train-word-tokenizer.js';
import { isMadeHere, openTriedEncoder } from '../tokenizer/try-tokenizer.js';
import type { EngineSettings } from '../worker/engine-core.js';
import type { Engine } from '../worker/engine.js';
import { ParameterBlock } from '../worker/parameter-block.js';
import { WorkerEngine } from '../worker/worker-engine.js';
import { contextOfPreset, coresOf, engines, positionsOf } from './engine-sizes.js';
import { weightPlaces } from './checkpoint.js';
import { memoryLimits, samplingCopyBytes } from './estimate-policy.js';
import { AdapterOpener } from './open-adapter.js';
import { TransformerPolicy, capabilitiesOf } from './transformer-policy.js';

export { estimate } from './estimate-policy.js';
export { exportFolder } from './export-folder.js';
export { exportGguf } from './export-gguf.js';
export { importGguf } from './import-gguf.js';
export { openEncoder } from './open-encoder.js';

/** A policy from a preset or a folder. `resetOptimizer` chooses the optimizer. */
export async function create(options: TransformerOptions, host: Host, context: PolicyContext): Promise<PolicyModel> {
  return createPolicy(options, host, context, (settings, cores, log) =>
    Promise.resolve(new WorkerEngine(settings, cores, log)),
  );
}

/** Like `create`. `start` creates the engine, so that tests can run it on their own thread. */
export async function createPolicy(
  options: TransformerOptions,
  host: Host,
  context: PolicyContext,
  start: (settings: EngineSettings, cores: number, log: (message: string) => void) => Promise<Engine>,
): Promise<PolicyModel> {
  const opened =
    context.from === undefined
      ? await scratchModel(options, context)
      : await openModel(host.files, context.from, context);
  for (const notice of opened.notices ?? []) host.log.warn(notice);
  const lora = adapterSettings(options, context.from, opened.adapter);
  const encoder = await openTriedEncoder(
    opened.tokenizer,
    { endIds: opened.ids.eos, embeddingRows: opened.config.vocabularySize, thinking: options.thinking },
    host.cacheDirectory,
  );
  samplingCopyBytes(options, opened.config);
  const { valueHead } = context;
  const parts: ParameterOptions = { valueHead, ...(lora && { adapter: adapterOf(lora) }) };
  const positions = positionsOf(opened.config, context.maxTokens);
  const config = { ...opened.config, maxPositions: positions };
  const { trainable, frozen } = await initialWeights(opened, config, parts, host, context.from);
  const cores = coresOf(options, config, host.cacheDirectory);
  const limits = memoryLimits(options);
  const settings: EngineSettings = {
    engine: engines[options.engine],
    precision: options.precision,
    deterministic: options.deterministic,
    engineFolder: host.cacheDirectory,
    config,
    ...parts,
    sessionThreads: cores.sessionThreads,
    layered: cores.layered,
    returnsMemory: cores.returnsMemory,
    ...limits,
    cacheBytes: limits.cacheBytes / cores.count,
    samplesOnly: context.samplesOnly,
  };

  const engine = await start(settings, cores.count, (message) => host.log.warn(message));
  try {
    const all = Array.from({ length: engine.cores }, (_, core) => core);
    // The engine takes the array that it is sent; the last core gets the original.
    for (const core of frozen === undefined ? [] : all) {
      await engine.call(core, 'setFrozen', [core === engine.cores - 1 ? frozen! : frozen!.slice()]);
    }
    await Promise.all(all.map((core) => engine.call(core, 'setParameters', [trainable])));
    const facts = await engine.call(0, 'facts', []);
    const folder = { config: opened.config, ids: opened.ids, tokenizer: opened.tokenizer };
    const sourceOf = (from: string, texts: TokenizerFiles) => encoderSource(from, opened.base, texts, options, host);
    const source = context.from === undefined ? undefined : sourceOf(context.from, opened.tokenizer);
    const capabilities = {
      ...capabilitiesOf(parts, positions, options.samplingWeights),
      vocabularySize: config.vocabularySize,
    };
    const { thinking } = options;
    const baseHash = lora && { sha256: await hashBase(host.files, opened.base) };
    const isMerged = lora === undefined && opened.adapter !== undefined;
    const adapters =
      context.from === undefined || isMerged
        ? undefined
        : new AdapterOpener({
            ...{ engine, host, texts: folder, folder: opened.base, config, thinking, sourceOf },
            ...{ capabilities, encoder, ...(source && { encoderSource: source }) },
          });
    return new TransformerPolicy({
      engine,
      files: host.files,
      folder,
      encoder,
      encoderSource: source,
      adapters,
      capabilities,
      parts,
      ...(lora && { lora: { settings: lora, base: { name: resolve(opened.base), ...baseHash } } }),
      samplingWeights: options.samplingWeights,
      ...(facts.engine.startsWith('onnxruntime') && {
        memory: {
          ...{ config, parts, cores, ...limits, samplesOnly: context.samplesOnly, maxTokens: context.maxTokens },
          isWasm: facts.engine === 'onnxruntime-web',
        },
      }),
      facts: {
        ...facts,
        ...(context.from === undefined
          ? { preset: context.preset ?? '' }
          : { from: context.from, chatTemplate: encoder.template }),
        parameters: totalElements(parameterShapes(config, parts)),
        ...(lora && { trainable: trainable.length, base: baseHash!.sha256 }),
        family: config.family,
        hiddenSize: config.hiddenSize,
        layers: config.layers,
        vocabularySize: config.vocabularySize,
      },
    });
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}

/** Where the files of the tokenizer are. */
function encoderSource(
  from: string,
  base: string,
  tokenizer: TokenizerFiles,
  { thinking }: TransformerOptions,
  { cacheDirectory }: Host,
): EncoderSource {
  // An adapter's folder may have its own tokenizer.
  return {
    folder: resolve(existsSync(join(from, 'tokenizer.json')) ? from : base),
    settings: { thinking, cacheDirectory },
    isOwn: isMadeHere(tokenizer),
  };
}

/** The adapter to train. Throws if it needs a model to start from, or if the folder has another adapter. */
function adapterSettings(
  options: TransformerOptions,
  from: string | undefined,
  stored: AdapterSettings | undefined,
): AdapterSettings | undefined {
  const wanted = loraOf(options);
  if (wanted === undefined) return undefined;
  if (from === undefined) throw new Error('loraRank needs weights that stay as they are: set `policy.from`');
  if (stored !== undefined && !isDeepStrictEqual(stored, wanted)) {
    throw new Error(
      `${from} has an adapter ${JSON.stringify(stored)}, not ${JSON.stringify(wanted)}: take its settings, or start from a folder into which it is merged`,
    );
  }
  return wanted;
}

/** All numbers at the start, in the order of `trainableShapes` and `frozenShapes`. */
async function initialWeights(
  opened: OpenedModel,
  config: DecoderConfig,
  parts: ParameterOptions,
  host: Host,
  from: string | undefined,
): Promise<{ readonly trainable: Float32Array; readonly frozen: Float32Array | undefined }> {
  const random = host.random.stream('weights');
  const { adapter } = parts;
  const trainable = new ParameterBlock(trainableShapes(config, parts));
  if (from === undefined) {
    return { trainable: trainable.fill(initializeParameters(config, parts, random)).data, frozen: undefined };
  }
  // The adapter is small, so it is checked before gigabytes are read.
  const stored = opened.adapter && (await readAdapterWeights(host.files, from, opened.config, opened.adapter));
  // A folder has all weights except the value head, which starts at 0.
  const base = adapter === undefined ? trainable : new ParameterBlock(frozenShapes(config, parts));
  const places = weightPlaces(base);
  await fillWeights(opened.weights, places);
  if (adapter === undefined) {
    if (stored !== undefined) {
      mergeAdapter(places, stored, adapterOf(opened.adapter!));
      for (const [name, { data }] of places) refuseNotFinite(`${name} with the adapter of ${from}`, data);
    }
    return { trainable: trainable.data, frozen: undefined };
  }
  const factors = stored
    ? [...stored].map(([name, { data }]) => [name, data] as const)
    : initializeAdapter(config, adapter, base.views, random);
  for (const [name, data] of factors) trainable.views.get(name)!.set(data);
  return { trainable: trainable.data, frozen: base.data };
}

/** A tokenizer trained on the corpus and a preset's shape. */
async function scratchModel(
  { tokenizer, vocabularySize, thinking }: TransformerOptions,
  context: PolicyContext,
): Promise<OpenedModel> {
  const { preset, maxTokens } = context;
  if (preset === undefined) throw new Error('a transformer needs a preset to build, or a folder to start from');
  refuseThinking(thinking);
  const train = tokenizer === 'words' ? trainWordTokenizer : trainByteLevelTokenizer;
  const files: TokenizerFiles = await train(context.corpus(), { vocabularySize: vocabularySize });
  const encoder = createConversationEncoder(files);
  const config = presetConfig(preset, encoder.vocabularySize, contextOfPreset(maxTokens));
  return { config, ids: { eos: encoder.endIds.slice(0, 1) }, tokenizer: files, base: '', weights: new Map() };
}
