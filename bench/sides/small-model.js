// Small Llama models with random weights, as Hugging Face folders that both sides open.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { noCorpus, Instances } from '../../dist/experiments/instances.js';
import { parseDecoderConfig } from '../../plugins/policy-transformer/dist/checkpoint/decoder-config-json.js';
import { parameterShapes } from '../../plugins/policy-transformer/dist/model/parameters.js';
import { hostSettings, makePolicy } from './our-side.js';
import { benchCache } from './python-environment.js';
import { writeWeights } from './random-weights.js';

/** Models by their names in tables. The vocabulary is that of the folder, most of it invented words. */
export const models = {
  'd 128 x 4': { hidden: 128, layers: 4, heads: 4, intermediate: 384, vocabulary: 512 },
  'd 256 x 6': { hidden: 256, layers: 6, heads: 8, intermediate: 768, vocabulary: 512 },
};

const positions = 8192;

/** The folder of a model, which is made on first use. */
export async function smallModel(host, { hidden, layers, heads, intermediate, vocabulary }) {
  const folder = join(benchCache, 'small', `${hidden}x${layers}-${heads}-${intermediate}-${vocabulary}`);
  if (existsSync(folder)) return folder;
  const part = `${folder}.${process.pid}.part`;
  mkdirSync(part, { recursive: true });
  const named = await makePolicy(host, { preset: 'pico', vocabulary, threads: 1, maxTokens: 32 });
  await named.save(part);
  await named.dispose();
  const config = {
    ...JSON.parse(readFileSync(join(part, 'config.json'), 'utf8')),
    ...{ hidden_size: hidden, num_hidden_layers: layers, intermediate_size: intermediate },
    ...{ num_attention_heads: heads, num_key_value_heads: heads, head_dim: hidden / heads },
    max_position_embeddings: positions,
  };
  writeFileSync(join(part, 'config.json'), `${JSON.stringify(config, undefined, 2)}\n`);
  const shapes = parameterShapes(parseDecoderConfig(config), { valueHead: false });
  await writeWeights(join(part, 'model.safetensors'), shapes);
  renameSync(part, folder);
  return folder;
}

export function openModel(host, folder, { maxTokens, samplesOnly = false, ...options }) {
  const context = { from: folder, corpus: noCorpus, valueHead: false, samplesOnly, maxTokens };
  return new Instances(host, hostSettings(1)).policy({ name: 'transformer', options }, context);
}
