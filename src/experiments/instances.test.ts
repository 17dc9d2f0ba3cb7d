import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { openPluginHost } from '../plugins/open-plugin-host.js';
import { readPluginSource } from '../plugins/plugin-source.js';
import { testHost } from '../testing/test-host.js';
import { Instances, noCorpus } from './instances.js';

const folder = mkdtempSync(join(tmpdir(), 'agentgym-instances-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A policy whose weights are elsewhere: it has the encoder of the folder that it starts from. */
function writePolicy(): string {
  const root = join(folder, 'policy-wire');
  mkdirSync(root);
  const json = {
    name: 'policy-wire',
    version: '1.0.0',
    type: 'module',
    oclif: {},
    agentgym: { apiVersion: 1, plugin: './index.js' },
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify(json));
  const entry = `const load = async () => ({
    async create(_options, host, { from }) {
      const encoder = await host.openEncoder(from);
      const names = ['generate', 'release', 'forwardBackward', 'optimizerStep', 'resetOptimizer', 'logprobs', 'freeze',
        'save', 'load', 'describe', 'dispose'];
      const members = Object.fromEntries(names.map((name) => [name, () => undefined]));
      const sampler = { independent: true, draws: true, exact: true };
      return { ...members, capabilities: { sampler }, encoder, credit: host.credit };
    },
  });
  export default [{ kind: 'policy', name: 'wire', summary: 'Elsewhere', options: {}, presets: [],
    optimizers: [{ name: 'adamw', summary: 'AdamW', options: {} }], load }];`;
  writeFileSync(join(root, 'index.js'), entry);
  return root;
}

/** A tokenizer of four words, and a template. */
function writeTokenizer(): string {
  const root = join(folder, 'tokenizer');
  mkdirSync(root);
  const vocab = { '<|end|>': 0, '[UNK]': 1, go: 2, north: 3 };
  const tokenizer = {
    version: '1.0',
    added_tokens: [
      { id: 0, content: '<|end|>', special: true, single_word: false, lstrip: false, rstrip: false, normalized: false },
    ],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  };
  writeFileSync(join(root, 'tokenizer.json'), JSON.stringify(tokenizer));
  const template = "{% for m in messages %}{{ m['content'] }}<|end|>{% endfor %}";
  writeFileSync(join(root, 'tokenizer_config.json'), JSON.stringify({ eos_token: '<|end|>', chat_template: template }));
  return root;
}

it('gives a policy the encoder of a folder, from the policy that opens such folders', async () => {
  const wire = await readPluginSource(writePolicy());
  const transformer = await readPluginSource(resolve(import.meta.dirname, '../../plugins/policy-transformer'));
  const context = { from: writeTokenizer(), corpus: noCorpus, valueHead: false };
  const policyOf = async (sources: Parameters<typeof openPluginHost>[0]) =>
    new Instances(openPluginHost(sources), testHost()).policy({ name: 'wire' }, context);
  const { encoder } = await policyOf([wire, transformer]);
  expect(encoder.begin('', 'go north')).toEqual([2, 3, 0]);
  expect(encoder.endIds).toEqual([0]);
  await expect(policyOf([wire])).rejects.toThrow('No installed policy opens the tokenizer of a folder.');
});
