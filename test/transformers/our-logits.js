// Prints the results of the built transformer plugin for a folder: one JSON document with token sequences, their
// logits, and the ids of a conversation. With a preset, it first writes that preset with random weights into the
// folder; with a recording of test/golden, that model or adapter with a tokenizer from scratch.
//   node test/transformers/our-logits.js FOLDER [PRESET | RECORDING [--merge]]
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { outsideFiles } from '../../dist/files/outside-files.js';
import { createRandom } from '../../dist/random/create-random.js';
import { readAdapterConfig } from '../../plugins/policy-transformer/dist/checkpoint/adapter-config.js';
import {
  adapterOf,
  openModel,
  readAdapterWeights,
  writeAdapterFolder,
} from '../../plugins/policy-transformer/dist/checkpoint/adapter-folder.js';
import { parseDecoderConfig } from '../../plugins/policy-transformer/dist/checkpoint/decoder-config-json.js';
import { writeModelFiles } from '../../plugins/policy-transformer/dist/checkpoint/model-folder.js';
import { sourcesOf } from '../../plugins/policy-transformer/dist/checkpoint/safetensors.js';
import { createExecutor } from '../../plugins/policy-transformer/dist/executors/create-executor.js';
import { Graph } from '../../plugins/policy-transformer/dist/graph/graph.js';
import { maskInput } from '../../plugins/policy-transformer/dist/model/causal-mask.js';
import { decoderTrunk } from '../../plugins/policy-transformer/dist/model/decoder-trunk.js';
import { MaskMemory } from '../../plugins/policy-transformer/dist/model/mask-memory.js';
import { placeInputs } from '../../plugins/policy-transformer/dist/model/place-inputs.js';
import { placeApart } from '../../plugins/policy-transformer/dist/model/place-rows.js';
import { initializeParameters, parameterShapes } from '../../plugins/policy-transformer/dist/model/parameters.js';
import { exportFolder } from '../../plugins/policy-transformer/dist/policy/export-folder.js';
import { presetConfig } from '../../plugins/policy-transformer/dist/presets/presets.js';
import { createConversationEncoder } from '../../plugins/policy-transformer/dist/tokenizer/conversation-encoder.js';
import { trainWordTokenizer } from '../../plugins/policy-transformer/dist/tokenizer/train-word-tokenizer.js';
import { weightsOf } from '../golden/models/read-weights.js';

const corpus = ['Guess my number between 4 and 33. You have 5 turns.', '18', 'higher, 19 to 33', 'correct'];
const noValueHead = { valueHead: false };

/** Writes a folder like training from scratch. */
async function writePreset(folder, preset) {
  const tokenizer = await trainWordTokenizer(corpus, { vocabularySize: 4096 });
  const config = presetConfig(preset, createConversationEncoder(tokenizer).vocabularySize, 128);
  const data = initializeParameters(config, noValueHead, createRandom(1));
  const shapes = parameterShapes(config, noValueHead);
  const weights = new Map([...data].map(([name, numbers]) => [name, { shape: shapes.get(name), data: numbers }]));
  await writeModel(folder, { config, weights, tokenizer });
}

/** Writes a recorded model as a checkpoint does. */
async function writeRecorded(folder, recording, tokenizer) {
  const config = parseDecoderConfig(JSON.parse(readFileSync(join(recording, 'config.json'), 'utf8')));
  await writeModel(folder, { config, weights: await weightsOf(recording), tokenizer });
  return config;
}

async function writeModel(folder, { config, weights, tokenizer }) {
  const { endIds } = createConversationEncoder(tokenizer);
  mkdirSync(folder, { recursive: true });
  const texts = { config, ids: { eos: endIds, pad: endIds[0] }, tokenizer };
  await writeModelFiles(folder, texts, sourcesOf(weights));
}

/** Writes a recorded adapter with its base beside it, or what `export --merge` makes of them. */
async function writeRecordedAdapter(folder, recording, tokenizer, merge) {
  const { settings, base } = await readAdapterConfig(outsideFiles, recording);
  const config = await writeRecorded(`${folder}-base`, resolve(recording, base.name), tokenizer);
  const factors = await readAdapterWeights(outsideFiles, recording, config, settings);
  const adapter = merge ? `${folder}-adapter` : folder;
  for (const path of [folder, adapter]) mkdirSync(path, { recursive: true });
  await writeAdapterFolder(adapter, {
    settings,
    base: { name: resolve(`${folder}-base`) },
    factors: sourcesOf(factors),
    tokenizer,
  });
  const sampling = { temperature: 1, topP: 1, topK: 0 };
  const { signal } = new AbortController();
  const plain = { dtype: 'float32', merge, sampling, maxActionTokens: 9, signal };
  if (merge) await exportFolder({ thinking: 'template' }, adapter, folder, plain, outsideFiles);
}

/** [width, vocabulary] logits of each sequence. */
async function logitsOf(folder, { config, base, adapter: settings }, sequences) {
  const executor = await createExecutor({ threads: 1, log: console.error });
  const adapter = settings && adapterOf(settings);
  const factors = settings ? await readAdapterWeights(outsideFiles, folder, config, settings) : new Map();
  const tensors = new Map([...(await weightsOf(base)), ...factors]);
  const state = executor.allocate(new Map([...tensors].map(([name, { shape }]) => [name, shape])));
  for (const [name, { data }] of tensors) await state.write(name, data);
  const results = [];
  for (const tokens of sequences) {
    const graph = new Graph();
    const width = tokens.length;
    const queries = (config.heads / config.keyValueHeads) * width;
    const { final, head } = decoderTrunk(
      graph,
      config,
      { rows: 1, width, blocks: 1 },
      {
        adapter,
        positions: graph.input('positions', [1, width], 'int32'),
        bias: (window) => graph.input(maskInput(window), [1, 1, queries, width]),
      },
    );
    const executable = await executor.compile({
      outputs: { logits: graph.matmul(final, head, { transposeRight: true }) },
    });
    const placed = placeApart([width], width);
    const places = placeInputs(placed, { rows: 1, blocks: 1 }, config, new MaskMemory());
    const inputs = { tokens: Int32Array.from(tokens), ...places };
    const { logits } = await executable.run(inputs, { state: [state] });
    await executable.dispose();
    const size = config.vocabularySize;
    results.push(tokens.map((_, place) => [...logits.subarray(place * size, (place + 1) * size)]));
  }
  return results;
}

const [folder, what, merge] = process.argv.slice(2);
if (what !== undefined) {
  const tokenizer = await trainWordTokenizer(corpus, { vocabularySize: 100 });
  if (existsSync(join(what, 'adapter_config.json')))
    await writeRecordedAdapter(folder, what, tokenizer, merge !== undefined);
  else if (existsSync(join(what, 'config.json'))) await writeRecorded(folder, what, tokenizer);
  else await writePreset(folder, what);
}
const model = await openModel(outsideFiles, folder);
const encoder = createConversationEncoder(model.tokenizer, { endIds: model.ids.eos });
const chat = [
  { role: 'system', content: 'You play a game.' },
  { role: 'user', content: corpus[0] },
  { role: 'assistant', content: corpus[1] },
  { role: 'user', content: corpus[2] },
];
const ids = [
  ...encoder.begin(chat[0].content, chat[1].content),
  ...encoder.encodeAction(chat[2].content),
  encoder.endIds[0],
  ...encoder.append(chat[3].content),
];
const random = createRandom(2);
const others = [3, 12, 33].map((length) =>
  Array.from({ length }, () => random.integer(0, model.config.vocabularySize)),
);
const sequences = [ids, ...others];
const logits = await logitsOf(folder, model, sequences);
process.stdout.write(
  JSON.stringify({
    chat,
    ids,
    endIds: encoder.endIds,
    sequences: sequences.map((tokens, row) => ({ tokens, logits: logits[row] })),
  }),
);
