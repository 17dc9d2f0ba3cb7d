import type { Host, PolicyContext, PolicyModel } from '@agentgym/cli';

import { readModelFolder, type ModelFolder } from '../checkpoint/model-folder.js';
import { initializeParameters, parameterShapes } from '../model/parameters.js';
import type { TransformerOptions } from '../options.js';
import { presetConfig } from '../presets/presets.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { refuseThinking } from '../tokenizer/read-chat-layout.js';
import type { TokenizerFiles } from '../tokenizer/tokenizer-files.js';
import { trainByteLevelTokenizer } from '../tokenizer/train-byte-level-tokenizer.js';
import { trainWordTokenizer } from '../tokenizer/train-word-tokenizer.js';
import type { EngineSettings } from '../worker/engine-core.js';
import type { Engine } from '../worker/engine.js';
import { ParameterBlock } from '../worker/parameter-block.js';
import { WorkerEngine } from '../worker/worker-engine.js';
import { longestSequence, positionsOf, threadsOf } from './engine-sizes.js';
import { TransformerPolicy } from './transformer-policy.js';

export { estimate } from './estimate-policy.js';

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
    context.from === undefined ? await scratchFolder(options, context) : await readModelFolder(context.from);
  const encoder = createConversationEncoder(folder.tokenizer, {
    endIds: folder.ids.eos,
    embeddingRows: folder.config.vocabularySize,
    thinking: options.thinking,
  });
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
  const given = new Map([...folder.weights].map(([name, { data }]) => [name, data]));
  const missing = [...parameterShapes(config, { valueHead }).keys()].some((name) => !given.has(name));
  const initial = missing
    ? initializeParameters(config, { valueHead }, host.random.stream('weights'))
    : new Map<string, Float32Array>();
  // A folder must have all weights. Only the value head, which it cannot hold, starts fresh.
  const fresh = [...initial].filter(([name]) => context.from === undefined || name.startsWith('value_head.'));
  const block = new ParameterBlock(config, { valueHead }).fill(new Map([...fresh, ...given]));

  const engine = await start(settings, threads, (message) => host.log.warn(message));
  try {
    const cores = Array.from({ length: engine.cores }, (_, core) => core);
    await Promise.all(cores.map((core) => engine.call(core, 'setParameters', [block.data])));
    const facts = await engine.call(0, 'facts', []);
    return new TransformerPolicy({
      engine,
      folder: { config: folder.config, ids: folder.ids, tokenizer: folder.tokenizer },
      encoder,
      valueHead,
      maxTokens: positions,
      facts: {
        ...facts,
        ...(context.from === undefined
          ? { preset: context.preset ?? '' }
          : { from: context.from, chatTemplate: encoder.template }),
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
  { tokenizer, vocabularySize, thinking }: TransformerOptions,
  context: PolicyContext,
): Promise<ModelFolder> {
  const { preset, maxTokens } = context;
  if (preset === undefined) throw new Error('a transformer needs a preset to build, or a folder to start from');
  refuseThinking(thinking);
  const train = tokenizer === 'words' ? trainWordTokenizer : trainByteLevelTokenizer;
  const files: TokenizerFiles = await train(context.corpus(), { vocabularySize: vocabularySize });
  const encoder = createConversationEncoder(files);
  const config = presetConfig(preset, encoder.vocabularySize, longestSequence(maxTokens));
  return { config, weights: new Map(), ids: { eos: encoder.endIds.slice(0, 1) }, tokenizer: files };
}
