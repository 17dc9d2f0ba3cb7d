import type { Host, PolicyContext, PolicyModel } from '@agentgym/cli';

import { fillWeights } from '../checkpoint/fill-weights.js';
import { readModelTexts, type ModelTexts } from '../checkpoint/model-folder.js';
import { refuseLargeTokenizer } from '../checkpoint/refuse-large-tokenizer.js';
import { initializeParameters } from '../model/parameters.js';
import type { TransformerOptions } from '../options.js';
import { presetConfig } from '../presets/presets.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import type { TokenizerFiles } from '../tokenizer/tokenizer-files.js';
import { trainByteLevelTokenizer } from '../tokenizer/train-byte-level-tokenizer.js';
import { trainWordTokenizer } from '../tokenizer/train-word-tokenizer.js';
import type { EngineSettings } from '../worker/engine-core.js';
import type { Engine } from '../worker/engine.js';
import { ParameterBlock } from '../worker/parameter-block.js';
import { WorkerEngine } from '../worker/worker-engine.js';
import { weightPlaces } from './checkpoint.js';
import { longestSequence, positionsOf, threadsOf } from './engine-sizes.js';
import { TransformerPolicy } from './transformer-policy.js';

export { estimate } from './estimate-policy.js';
export { exportFolder } from './export-folder.js';

const engines = { auto: 'auto', native: 'onnxruntime-node', wasm: 'onnxruntime-web' } as const;

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
  const folder =
    context.from === undefined ? await scratchFolder(options, context) : await readModelTexts(context.from);
  const encoder = createConversationEncoder(folder.tokenizer, folder.ids.eos);
  refuseLargeTokenizer(encoder.vocabularySize, folder.config);
  const { valueHead } = context;
  const positions = positionsOf(folder.config, context.maxTokens);
  const config = { ...folder.config, maxPositions: positions };
  const threads = threadsOf(options);
  const settings: EngineSettings = {
    engine: engines[options.engine],
    config,
    valueHead,
    microBatchTokens: options.microBatchTokens,
    cacheBytes: (options.cacheMegabytes * 1e6) / threads,
  };
  const block = new ParameterBlock(config, { valueHead });
  // A folder has all weights except the value head, which starts at 0.
  if (context.from !== undefined) await fillWeights(context.from, weightPlaces(block));
  else block.fill(initializeParameters(config, { valueHead }, host.random.stream('weights')));

  const engine = await start(settings, threads, (message) => host.log.warn(message));
  try {
    const cores = Array.from({ length: engine.cores }, (_, core) => core);
    await Promise.all(cores.map((core) => engine.call(core, 'setParameters', [block.data])));
    const facts = await engine.call(0, 'facts', []);
    return new TransformerPolicy({
      engine,
      folder,
      encoder,
      valueHead,
      maxTokens: positions,
      facts: {
        ...facts,
        ...(context.from === undefined ? { preset: context.preset ?? '' } : { from: context.from }),
        parameters: block.data.length,
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

/** A tokenizer trained on the corpus and a preset's shape, without weights. */
async function scratchFolder(
  { tokenizer, vocabularySize }: TransformerOptions,
  context: PolicyContext,
): Promise<ModelTexts> {
  const { preset, maxTokens } = context;
  if (preset === undefined) throw new Error('a transformer needs a preset to build, or a folder to start from');
  const train = tokenizer === 'words' ? trainWordTokenizer : trainByteLevelTokenizer;
  const files: TokenizerFiles = await train(context.corpus(), { vocabularySize: vocabularySize });
  const encoder = createConversationEncoder(files);
  const config = presetConfig(preset, encoder.vocabularySize, longestSequence(maxTokens));
  return { config, ids: { eos: encoder.endIds.slice(0, 1) }, tokenizer: files };
}
