import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { afterAll, describe, expect, it } from 'vitest';

import { readAdapterConfig } from './adapter-config.js';

const { files } = testHost();
const folder = mkdtempSync(join(tmpdir(), 'agentgym-adapter-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const usual = {
  peft_type: 'LORA',
  base_model_name_or_path: '../base',
  r: 4,
  lora_alpha: 8,
  target_modules: ['q_proj', 'v_proj'],
};
const read = (changes: object) => {
  writeFileSync(join(folder, 'adapter_config.json'), JSON.stringify({ ...usual, ...changes }));
  return readAdapterConfig(files, folder);
};

describe('readAdapterConfig', () => {
  it('accepts every key that PEFT writes for an adapter without special parts', async () => {
    const written = {
      ...{ alora_invocation_tokens: null, alpha_pattern: {}, arrow_config: null, auto_mapping: null, bias: 'none' },
      ...{ corda_config: null, ensure_weight_tying: false, eva_config: null, exclude_modules: null },
      ...{ fan_in_fan_out: false, inference_mode: true, init_lora_weights: true, kasa_config: null },
      ...{ layer_replication: null, layers_pattern: null, layers_to_transform: null, loftq_config: {} },
      ...{ lora_bias: false, lora_dropout: 0.05, lora_ga_config: null, megatron_config: null },
      ...{ megatron_core: 'megatron.core', modules_to_save: null, monteclora_config: null, peft_version: '0.19.0' },
      ...{ qalora_group_size: 16, rank_pattern: {}, revision: null, target_parameters: null, task_type: 'CAUSAL_LM' },
      ...{ trainable_token_indices: null, use_bdlora: null, use_dora: false, use_qalora: false, use_rslora: true },
      ...{ velora_config: null },
    };
    const settings = { rank: 4, alpha: 8, rankStabilized: true, dora: false };
    expect(await read(written)).toMatchObject({ settings, base: { name: '../base' } });
  });

  it.each([true, false, 'gaussian', 'eva', 'orthogonal', 'mica'])(
    'accepts the beginning %s, after which the file has all numbers',
    async (beginning) => {
      await expect(read({ init_lora_weights: beginning })).resolves.toBeDefined();
    },
  );

  it.each(['pissa', 'pissa_niter_16', 'olora', 'OLoRA', 'corda', 'loftq', 'lora_ga', 'something new'])(
    'refuses the beginning %s, with which PEFT changes the base',
    async (beginning) => {
      await expect(read({ init_lora_weights: beginning })).rejects.toThrow(
        `init_lora_weights ${JSON.stringify(beginning)} is not supported: PEFT would change the base`,
      );
    },
  );

  // Mutation: ignore a key that is not listed.
  it.each<[string, object, string]>([
    ['an invented key', { lora_gate: 'sigmoid' }, 'the key lora_gate is not known'],
    ['a key of every object', { constructor: 1 }, 'the key constructor is not known'],
    ['another kind', { peft_type: 'IA3' }, 'peft_type "IA3" is not supported; supported: LORA'],
    ['another task', { task_type: 'SEQ_CLS' }, 'task_type "SEQ_CLS" is not supported'],
    ['tokens that switch it on', { alora_invocation_tokens: [1, 2] }, 'alora_invocation_tokens [1,2] is not supported'],
    ['blocks', { use_bdlora: { nblocks: 2 } }, 'use_bdlora {"nblocks":2} is not supported'],
    ['quantized pools', { use_qalora: true }, 'use_qalora true is not supported'],
    ['trained biases', { bias: 'all' }, 'bias "all" is not supported'],
    ['whole modules', { modules_to_save: ['lm_head'] }, 'modules_to_save ["lm_head"] is not supported'],
    ['other ranks of some matrices', { rank_pattern: { q_proj: 2 } }, 'rank_pattern {"q_proj":2} is not supported'],
    ['the first layer only', { layers_to_transform: 0 }, 'layers_to_transform 0 is not supported'],
    ['no rank', { r: undefined }, 'r is missing'],
    ['no targets', { target_modules: undefined }, 'target_modules is missing'],
    ['no base', { base_model_name_or_path: null }, 'base_model_name_or_path is missing'],
    ['an embedding', { target_modules: ['q_proj', 'embed_tokens'] }, 'target_modules "embed_tokens" are not supported'],
    ['no matrices', { target_modules: [] }, 'target_modules [] are not supported'],
    ['DoRA as a text', { use_dora: 'true' }, 'use_dora must be true or false, not "true"'],
    ['a rank of 0', { r: 0 }, 'r must be a positive number up to 65536, not 0'],
    ['a negative rank', { r: -1 }, 'r must be a positive number up to 65536, not -1'],
    ['half a rank', { r: 1.5 }, 'r must be a whole number, not 1.5'],
    ['a rank of a billion', { r: 1e9 }, 'r must be a positive number up to 65536, not 1000000000'],
    ['a rank as a text', { r: '4' }, 'r must be a positive number up to 65536, not "4"'],
    ['an endless scale', { lora_alpha: 1e308 }, 'lora_alpha must be a positive number up to 1000000, not 1e+308'],
    ['no scale', { lora_alpha: undefined }, 'lora_alpha is missing'],
  ])('refuses %s by name', async (_, changes, message) => {
    await expect(read(changes)).rejects.toThrow(`${folder}/adapter_config.json: ${message}`);
  });

  it('refuses what is not an object', async () => {
    writeFileSync(join(folder, 'adapter_config.json'), '[]');
    await expect(readAdapterConfig(files, folder)).rejects.toThrow('adapter_config.json is not a JSON object');
  });
});
