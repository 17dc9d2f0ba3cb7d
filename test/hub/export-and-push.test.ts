import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { testHost } from '@agentgym/cli/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { readSafetensors } from '../../plugins/policy-transformer/src/checkpoint/safetensors.js';
import { hubAccess } from '../../src/hub/hub-access.js';
import { pushFolder } from '../../src/hub/push-folder.js';
import { documentOf, freshDataFolders } from '../cli/run-cli.js';
import { runWarm } from '../cli/warm-cli.js';
import { type LoopbackHub, startHub } from './loopback-hub.js';

const { files } = testHost();
const recipe = fileURLToPath(new URL('recipe.yaml', import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'agentgym-export-'));
const folders = freshDataFolders(cwd);
let hub: LoopbackHub;
const agentgym = (words: string[], environment = {}) =>
  runWarm(words, { cwd, environment: { ...folders, HF_ENDPOINT: hub.endpoint, ...environment } });
const run = async (...words: string[]) => documentOf(await agentgym([...words, '--json']));
const errorOf = async (...words: string[]) => (await run(...words))['error'] as { code: string; message: string };
const text = (...path: string[]) => readFileSync(join(cwd, ...path), 'utf8');
const frontMatter = (card: string) => parse(card.split('---\n')[1]!) as { [key: string]: unknown };

beforeAll(async () => {
  hub = await startHub();
  const { code, stderr } = await agentgym(['train', recipe, '--output', 'runs/tiny', '--json']);
  expect(code, stderr).toBe(0);
});
afterAll(() => hub.close());

const modelFiles = [
  'README.md',
  'chat_template.jinja',
  'config.json',
  'generation_config.json',
  'model.safetensors',
  'tokenizer.json',
  'tokenizer_config.json',
];

describe('agentgym export', () => {
  it('writes a folder that stands alone, with a card, and refuses to write there again', async () => {
    expect(await run('export', 'latest', '--to', 'whole')).toMatchObject({
      architecture: 'LlamaForCausalLM',
      checkpoint: join(cwd, 'runs/tiny/checkpoints/step-6'),
      files: modelFiles,
    });
    expect(readdirSync(join(cwd, 'whole')).sort()).toEqual(modelFiles);
    const stored = await readSafetensors(files, join(cwd, 'runs/tiny/checkpoints/step-6/model.safetensors'));
    const { tensors } = await readSafetensors(files, join(cwd, 'whole/model.safetensors'));
    expect([...tensors.keys()].sort()).toEqual([...stored.tensors.keys()].sort());
    for (const [name, { shape, data }] of tensors) {
      expect(shape).toEqual(stored.tensors.get(name)!.shape);
      expect(Buffer.from(data.buffer).equals(Buffer.from(stored.tensors.get(name)!.data.buffer))).toBe(true);
    }
    const card = text('whole/README.md');
    const success = (JSON.parse(text('runs/tiny/result.json')) as { evaluation: { success: { rate: number } } })
      .evaluation.success.rate;
    expect(frontMatter(card)).toMatchObject({
      library_name: 'transformers',
      tags: ['agentgym', 'reinforcement-learning', 'guess-number'],
      'model-index': [{ results: [{ metrics: [{ value: success }] }] }],
    });
    expect(card).toMatch(/\| trained +\| +[\d.]+ % \| +[\d.]+ to [\d.]+ \|/);
    expect(card).toMatch(/\| demonstrations +\| +20 \|/);
    expect(card).toContain('from_pretrained("whole")');
    expect(card).not.toContain(cwd);
    expect(await errorOf('export', 'latest', '--to', 'whole')).toMatchObject({ code: 'AG_OUTPUT_EXISTS' });
    expect(readdirSync(cwd).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('rounds weights', async () => {
    await run('export', 'runs/tiny', '--to', 'brief', '--dtype', 'bfloat16');
    expect(JSON.parse(text('brief/config.json'))).toMatchObject({ torch_dtype: 'bfloat16' });
    const bits = (data: Float32Array) => new Uint32Array(data.buffer, data.byteOffset, data.length);
    const [whole, brief] = await Promise.all(
      ['whole', 'brief'].map(
        async (folder) => (await readSafetensors(files, join(cwd, folder, 'model.safetensors'))).tensors,
      ),
    );
    for (const [name, { data }] of brief!) {
      expect(bits(data).every((number) => (number & 0xffff) === 0)).toBe(true);
      const worst = data.reduce((most, value, i) => Math.max(most, Math.abs(value - whole!.get(name)!.data[i]!)), 0);
      expect(worst).toBeLessThan(2 ** -7);
    }
  });

  it('takes the step, or the best of the kept checkpoints, with their own evaluations', async () => {
    const lines = text('runs/tiny/evaluations.jsonl').trim().split('\n');
    const evaluations = lines.map(
      (line) => JSON.parse(line) as { runStep: number; evaluation: { split: string; success: { rate: number } } },
    );
    expect(evaluations.filter(({ evaluation }) => evaluation.split === 'validation').length).toBeGreaterThan(1);
    expect(await run('export', 'latest', '--to', 'two', '--checkpoint', '2')).toMatchObject({
      checkpoint: expect.stringMatching(/step-2$/) as string,
    });
    expect(text('two/README.md')).toMatch(/\| validation, temperature 0 +\| /);
    expect(frontMatter(text('two/README.md'))).not.toHaveProperty('model-index');
    const played = evaluations.filter(({ runStep, evaluation }) => evaluation.split === 'validation' && runStep > 0);
    const highest = Math.max(...played.map(({ evaluation }) => evaluation.success.rate));
    const best = played.filter(({ evaluation }) => evaluation.success.rate === highest).at(-1)!;
    expect(await run('export', 'latest', '--to', 'best', '--checkpoint', 'best')).toMatchObject({
      checkpoint: join(cwd, `runs/tiny/checkpoints/step-${best.runStep}`),
    });
    expect(await errorOf('export', 'latest', '--to', 'x', '--checkpoint', '3')).toMatchObject({
      code: 'AG_CHECKPOINT_NOT_FOUND',
      message: expect.stringMatching(/no checkpoint of step 3; it has those of 6, 4, 2/) as string,
    });
    const { code, stderr } = await agentgym(['export', 'latest', '--to', 'x', '--checkpoint', 'newest']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/must be a step, best, latest, highest:METRIC or lowest:METRIC/),
    ]);
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });

  it('refuses a damaged checkpoint, and leaves nothing behind', async () => {
    const weights = join(cwd, 'runs/tiny/checkpoints/step-4/model.safetensors');
    const content = readFileSync(weights);
    writeFileSync(weights, content.subarray(0, -4));
    expect(await errorOf('export', 'latest', '--to', 'x', '--checkpoint', '4')).toMatchObject({
      code: 'AG_CHECKPOINT_BROKEN',
    });
    writeFileSync(weights, content);
    expect(readdirSync(cwd).filter((name) => /^(\.|x)/.test(name))).toEqual([]);
  });

  it('writes no GGUF file that llama.cpp would read in another way, and takes no flag without effect', async () => {
    const gguf = ['export', 'latest', '--to', 'x.gguf', '--format', 'gguf'];
    for (const [words, message] of [
      [gguf, 'a GGUF file cannot have this tokenizer'],
      [[...gguf, '--base', 'somebody/base'], '`--base` has no effect'],
      [['export', 'latest', '--to', 'x', '--dtype', 'q8_0'], '`--dtype q8_0` has no effect'],
      [['export', 'latest', '--to', 'whole', '--format', 'gguf'], 'exists'],
    ] as const) {
      const { code, stderr } = await agentgym([...words]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message) as string]);
    }
    expect(readdirSync(cwd).filter((name) => /^(\.|x)/.test(name))).toEqual([]);
  });

  it('names the model from which training began, with its licence', async () => {
    await run('export', 'latest', '--to', 'base');
    const files = Object.fromEntries(
      readdirSync(join(cwd, 'base')).map((name) => [name, readFileSync(join(cwd, 'base', name))]),
    );
    hub.add('somebody/base', { ...files, LICENSE: Buffer.from('terms of the base') }, { license: 'mit' });
    expect(await run('pull', 'somebody/base')).toMatchObject({ model: 'somebody/base', outcome: 'pulled' });
    const three = ['--environment', 'guess-number', '--tasks', '3'];
    expect(await run('evaluate', 'somebody/base', ...three)).toMatchObject({
      evaluation: { success: { episodes: 3 } },
    });
    const words = ['--set', 'policy.from=somebody/base', '--output', 'runs/second'];
    expect(await run('train', recipe, ...words)).toMatchObject({ status: 'completed' });
    await run('export', 'runs/second', '--to', 'second');
    expect(frontMatter(text('second/README.md'))).toMatchObject({ base_model: 'somebody/base', license: 'mit' });
    expect(text('second/README.md')).toMatch(/It began from somebody\/base \(commit [0-9a-f]{40}\)/);
    expect(text('second/LICENSE')).toBe('terms of the base');
  });
});

const adapterFiles = ['README.md', 'adapter_config.json', 'adapter_model.safetensors', 'chat_template.jinja'];
const adapterConfig = (folder: string) => JSON.parse(text(folder, 'adapter_config.json')) as { [key: string]: unknown };
const learnAdapter = (from: string, output: string) =>
  run('train', recipe, '--set', `policy.from=${from}`, '--set', 'policy.options.loraRank=2', '--output', output);

describe('an adapter', () => {
  it('names its base by the hub, with its commit, and opens again', async () => {
    expect(await learnAdapter('somebody/base', 'runs/adapter')).toMatchObject({ status: 'completed' });
    const exported = await run('export', 'runs/adapter', '--to', 'adapter');
    const { commit } = (await run('pull', 'somebody/base')) as { commit?: string };
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(exported).toMatchObject({ base: { name: 'somebody/base', revision: commit } });
    expect(exported['files']).toEqual(expect.arrayContaining(adapterFiles));
    expect(adapterConfig('adapter')).toMatchObject({ base_model_name_or_path: 'somebody/base', revision: commit });
    expect(frontMatter(text('adapter/README.md'))).toMatchObject({ library_name: 'peft', base_model: 'somebody/base' });
    expect(text('adapter/README.md')).toContain('AutoPeftModelForCausalLM.from_pretrained("adapter"');
    const three = ['--environment', 'guess-number', '--tasks', '3'];
    const success = (document: { [key: string]: unknown }) => (document['evaluation'] as { success: object }).success;
    const fromRun = await run('evaluate', 'runs/adapter', ...three);
    expect(success(await run('evaluate', './adapter', ...three))).toEqual(success(fromRun));
    const files = adapterFiles.map((name) => [name, readFileSync(join(cwd, 'adapter', name))] as const);
    hub.add('somebody/tuned', Object.fromEntries(files));
    expect(await run('pull', 'somebody/tuned')).toMatchObject({ base: 'somebody/base' });
    expect(success(await run('evaluate', 'somebody/tuned', ...three))).toEqual(success(fromRun));
    const elsewhere = { AGENTGYM_CACHE_DIR: join(cwd, 'other-cache') };
    const { stdout } = await agentgym(['pull', 'somebody/tuned'], elsewhere);
    expect(stdout).toContain('An adapter of somebody/base, which is not pulled: `agentgym pull somebody/base`');
  });

  it('names a base from elsewhere by its folder, and says so, or by --base', async () => {
    expect(await learnAdapter('./whole', 'runs/local')).toMatchObject({ status: 'completed' });
    const { stdout, stderr } = await agentgym(['export', 'runs/local', '--to', 'local']);
    expect(stdout).toContain(`Base: ${join(cwd, 'whole')}`);
    expect(stderr).toContain(
      'The base of the adapter is a folder on this machine; to name a model on a hub, use --base ORG/NAME',
    );
    expect(text('local/README.md')).not.toContain(cwd);
    await run('export', 'runs/local', '--to', 'named', '--base', 'somebody/whole');
    expect(adapterConfig('named')).toMatchObject({ base_model_name_or_path: 'somebody/whole' });
    expect(adapterConfig('named')).not.toHaveProperty('revision');
    const usage = { code: 'AG_COMMAND_USAGE' };
    expect(await errorOf('export', 'runs/local', '--to', 'x', '--base', './whole')).toMatchObject(usage);
    expect(await errorOf('export', 'runs/second', '--to', 'x', '--base', 'somebody/whole')).toMatchObject(usage);
    expect(readdirSync(cwd).filter((name) => /^(\.|x)/.test(name))).toEqual([]);
  });
});

describe('agentgym push', () => {
  const HF_TOKEN = 'hf_write';

  it('uploads a run in one commit, again into the same repository', async () => {
    const words = ['push', 'runs/second', 'somebody/player', '--private', '--json'];
    for (const round of [1, 2]) {
      const result = await agentgym(words, { HF_TOKEN });
      expect(documentOf(result)).toMatchObject({ model: 'somebody/player', commit: 'c0ffee', leftOut: [] });
      expect(result.stdout + result.stderr).not.toContain(HF_TOKEN);
      expect(hub.commits).toHaveLength(round);
    }
    expect(hub.created).toMatchObject([{ id: 'somebody/player', visibility: 'private' }]);
    const { model, files } = hub.commits[0]!;
    expect([model, Object.keys(files).sort()]).toEqual(['somebody/player', [...modelFiles, 'LICENSE'].sort()]);
    expect(files['README.md']!.toString()).toContain('from_pretrained("somebody/player")');
    expect(files['model.safetensors']!.equals(readFileSync(join(cwd, 'second/model.safetensors')))).toBe(true);
  });

  it('uploads a folder as it is, without files that no model needs', async () => {
    writeFileSync(join(cwd, 'brief/trainer_state.safetensors'), 'state');
    writeFileSync(join(cwd, 'brief/.env'), 'SECRET=1');
    const { stdout, stderr } = await agentgym(['push', 'brief', 'somebody/brief'], { HF_TOKEN });
    expect(stdout).toMatch(/somebody\/brief: 7 files, commit c0ffee/);
    expect(stderr).toContain('Left out, because no model needs it: .env, trainer_state.safetensors.');
    expect(Object.keys(hub.commits.at(-1)!.files).sort()).toEqual(modelFiles);
  });

  it('uploads an adapter, from a run and from a folder, unless it names a folder', async () => {
    for (const source of ['runs/adapter', 'adapter']) {
      const { stdout } = await agentgym(['push', source, 'somebody/adapter'], { HF_TOKEN });
      expect(stdout).toMatch(/somebody\/adapter: \d files, commit c0ffee/);
      const { files } = hub.commits.at(-1)!;
      expect(Object.keys(files)).toEqual(expect.arrayContaining(adapterFiles));
      expect(
        files['adapter_model.safetensors']!.equals(readFileSync(join(cwd, 'adapter/adapter_model.safetensors'))),
      ).toBe(true);
    }
    const before = hub.commits.length;
    for (const source of ['local', 'runs/local']) {
      const refused = await agentgym(['push', source, 'somebody/local', '--json'], { HF_TOKEN });
      expect(documentOf(refused)['error']).toMatchObject({
        code: 'AG_MODEL_UNUSABLE',
        hint: 'Push the run with `--base ORG/NAME`, or with `--merge` as a whole model.',
      });
    }
    expect(hub.commits).toHaveLength(before);
    await agentgym(['push', 'runs/local', 'somebody/local', '--base', 'somebody/whole'], { HF_TOKEN });
    expect(hub.commits.at(-1)!.files['adapter_config.json']!.toString()).toContain('"somebody/whole"');
  });

  it('refuses what would not work, before anything is sent', async () => {
    const before = hub.requests.length;
    mkdirSync(join(cwd, 'empty'));
    writeFileSync(join(cwd, 'empty/config.json'), '{}');
    const refused = async (folder: string, model: string, environment: object, code: string) => {
      const access = hubAccess({ HF_ENDPOINT: hub.endpoint, ...environment }, new AbortController().signal, () => {});
      const push = pushFolder({ folder: join(cwd, folder), model, hub: access, onEvent: () => undefined });
      await expect(push).rejects.toMatchObject({ code });
    };
    await refused('brief', 'somebody/brief', {}, 'AG_TRANSFER_REFUSED');
    await refused('brief', 'brief', { HF_TOKEN }, 'AG_COMMAND_USAGE');
    await refused('empty', 'a/b', { HF_TOKEN }, 'AG_MODEL_UNUSABLE');
    const idle = await agentgym(['push', 'brief', 'a/b', '--dtype', 'float16', '--json'], { HF_TOKEN });
    expect(documentOf(idle)['error']).toMatchObject({ code: 'AG_COMMAND_USAGE' });
    expect(hub.requests.length).toBe(before);
    await refused('brief', 'a/b', { HF_TOKEN: 'hf_read' }, 'AG_TRANSFER_REFUSED');
    rmSync(join(cwd, 'empty'), { recursive: true });
  });
});

it('`pull` tells its progress in lines, and ends with 2 for a model that is not there', async () => {
  const { code, stdout, stderr } = await agentgym(['pull', 'somebody/base', '--output', 'again']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^somebody\/base at [0-9a-f]{12}, \d+ kB: complete\n/)]);
  expect(stderr).toMatch(/^model.safetensors: \d+ kB$/m);
  const missing = await agentgym(['pull', 'somebody/else']);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringMatching(/has no model somebody\/else/)]);
});
