// Prints the results of the built transformer plugin for a folder: one JSON document with token sequences, their
// logits, and the ids of a conversation. With a preset, it first writes that preset with random weights into the
// folder.
//   node test/transformers/our-logits.js FOLDER [PRESET]
import { mkdirSync } from 'node:fs';

import { createRandom } from '../../dist/random/create-random.js';
import { readModelFolder, writeModelFolder } from '../../plugins/policy-transformer/dist/checkpoint/model-folder.js';
import { createExecutor } from '../../plugins/policy-transformer/dist/executors/create-executor.js';
import { Graph } from '../../plugins/policy-transformer/dist/graph/graph.js';
import { decoderTrunk } from '../../plugins/policy-transformer/dist/model/decoder-trunk.js';
import { initializeParameters, parameterShapes } from '../../plugins/policy-transformer/dist/model/parameters.js';
import { presetConfig } from '../../plugins/policy-transformer/dist/presets/presets.js';
import { createConversationEncoder } from '../../plugins/policy-transformer/dist/tokenizer/conversation-encoder.js';
import { trainWordTokenizer } from '../../plugins/policy-transformer/dist/tokenizer/train-word-tokenizer.js';

const corpus = ['Guess my number between 4 and 33. You have 5 turns.', '18', 'higher, 19 to 33', 'correct'];
const noValueHead = { valueHead: false };

/** Writes a folder like training from scratch. */
async function writePreset(folder, preset) {
  const tokenizer = await trainWordTokenizer(corpus, { vocabularySize: 4096 });
  const { vocabularySize, endIds } = createConversationEncoder(tokenizer);
  const config = presetConfig(preset, vocabularySize, 128);
  const data = initializeParameters(config, noValueHead, createRandom(1));
  const shapes = parameterShapes(config, noValueHead);
  const weights = new Map([...data].map(([name, numbers]) => [name, { shape: shapes.get(name), data: numbers }]));
  mkdirSync(folder, { recursive: true });
  await writeModelFolder(folder, { config, weights, ids: { eos: endIds, pad: endIds[0] }, tokenizer });
}

/** [width, vocabulary] logits of one sequence. */
async function logitsOf({ config, weights }, tokens) {
  const executor = await createExecutor({ threads: 1, log: console.error });
  const graph = new Graph();
  const { final, head } = decoderTrunk(graph, config, { rows: 1, width: tokens.length });
  const executable = await executor.compile({
    outputs: { logits: graph.matmul(final, head, { transposeRight: true }) },
  });
  const state = executor.allocate(new Map([...weights].map(([name, { shape }]) => [name, shape])));
  for (const [name, { data }] of weights) await state.write(name, data);
  const { logits } = await executable.run({ tokens: Int32Array.from(tokens) }, { state: [state] });
  await executable.dispose();
  return Array.from({ length: tokens.length }, (_, place) =>
    [...logits].slice(place * config.vocabularySize, (place + 1) * config.vocabularySize),
  );
}

const [folder, preset] = process.argv.slice(2);
if (preset !== undefined) await writePreset(folder, preset);
const model = await readModelFolder(folder);
const encoder = createConversationEncoder(model.tokenizer, model.ids.eos);
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
const sequences = [];
for (const tokens of [ids, ...others]) sequences.push({ tokens, logits: await logitsOf(model, tokens) });
process.stdout.write(JSON.stringify({ chat, ids, endIds: encoder.endIds, sequences }));
