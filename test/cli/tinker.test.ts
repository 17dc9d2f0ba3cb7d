import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { startTinkerServer, type TinkerServer } from '../../plugins/policy-tinker/src/fixtures/tinker-server.js';
import { TabularEncoder } from '../../src/testing/tabular-encoder.js';
import { longIt } from '../long.js';
import { bin, type CliResult, documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const plugin = fileURLToPath(new URL('../../plugins/policy-tinker', import.meta.url));
const folders = freshDataFolders();
const cwd = mkdtempSync(join(tmpdir(), 'agentgym-tinker-'));
let server: TinkerServer;
/** Answers as a server does that is away. */
let isAway = false;

const agentgym = (...args: string[]): Promise<CliResult> => runWarm(args, { cwd, environment: folders });
const runs = () => readdirSync(join(cwd, 'runs'));

/** A tokenizer of the words of guess-number, and a template. */
function writeTokenizer(folder: string): number {
  const texts = 'Guess my number between and . You have turns turn higher lower , to correct invalid'.split(' ');
  const words = ['<|end|>', '[UNK]', ...texts, ...Array.from({ length: 120 }, (_, number) => String(number))];
  const special = { special: true, single_word: false, lstrip: false, rstrip: false, normalized: false };
  const tokenizer = {
    version: '1.0',
    added_tokens: [{ id: 0, content: '<|end|>', ...special }],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: '[UNK]' },
  };
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  const template = "{% for m in messages %}{{ m['content'] }}<|end|>{% endfor %}";
  writeFileSync(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify({ eos_token: '<|end|>', chat_template: template }),
  );
  writeFileSync(join(folder, 'config.json'), '{"max_position_embeddings": 2048}');
  return words.length;
}

beforeAll(async () => {
  const size = writeTokenizer(cwd);
  // The server's model only needs as many ids.
  const encoder = new TabularEncoder(
    'word',
    Array.from({ length: size - 5 }, (_, index) => `w${index}`),
  );
  server = await startTinkerServer({
    ...{ encoder, reduction: 'sequence-mean', isBinary: true },
    disturb: () => (isAway ? { status: 503, body: 'starting' } : undefined),
  });
  const recipe = {
    ...{
      recipeVersion: 1,
      name: 'wire',
      environment: { name: 'guess-number', options: { width: [4, 5], instructions: 'none' } },
    },
    policy: {
      ...{ name: 'tinker', from: '.', sampling: { temperature: 1, maxActionTokens: 2 } },
      options: { url: server.url, server: 'skyrl-jax', outageSeconds: 1 },
    },
    algorithm: { name: 'grpo', groupSize: 4 },
    horizon: { schedule: 'fixed', turns: 2 },
    stages: {
      sft: {
        ...{ kind: 'sft', demonstrations: { expert: 'oracle', count: 40 }, batchSize: 20, steps: 10 },
        optimizer: { learningRate: 0.5, clipNorm: 0 },
      },
      rl: { kind: 'rl', tasksPerStep: 8, steps: 3, optimizer: { learningRate: 0.01, clipNorm: 0 } },
    },
    evaluation: { every: 3, tasks: 4, final: { tasks: 4 } },
  };
  writeFileSync(join(cwd, 'recipe.yaml'), JSON.stringify(recipe));
  expect((await agentgym('plugins', 'link', plugin)).code).toBe(0);
}, 60_000);

afterAll(async () => {
  await server.close();
  rmSync(cwd, { recursive: true });
  rmSync(folders.AGENTGYM_DATA_DIR, { recursive: true });
});

it('is checked without a step, which may cost something', async () => {
  const before = server.asked.length;
  const checked = await agentgym('train', 'recipe.yaml', '--check', '--trial');
  expect(checked.code, checked.stderr).toBe(0);
  expect(checked.stdout).toContain('time: not tried: the policy is on a server\n');
  expect(server.asked.length).toBe(before);
});

it('trains, and is evaluated from the state on the server', async () => {
  const result = await agentgym('train', 'recipe.yaml', '--json');
  expect(result.stderr).not.toContain('Error');
  const { spent, status } = documentOf(result) as { spent: Record<string, number>; status: string };
  expect([status, spent['episodes']]).toEqual(['completed', 96]);
  expect(spent['optimizerSteps']).toBeGreaterThan(10);
  const [run] = runs();
  const steps = readFileSync(join(cwd, 'runs', run!, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);
  expect(steps[9]?.['train/loss']).toBeLessThan(0.5 * (steps[0]?.['train/loss'] ?? NaN));
  const gaps = steps.flatMap((step) => step['train/logprob_gap'] ?? []);
  expect(Math.max(...gaps)).toBeLessThan(1e-4);
  const evaluated = await agentgym('evaluate', run!, '--tasks', '4', '--json');
  expect(documentOf(evaluated)).toMatchObject({ evaluation: { success: { episodes: 4 } } });
});

longIt('saves what it has at an interruption, and goes on', async () => {
  const args = ['train', 'recipe.yaml', '--set', 'name=stopped', '--set', 'stages.rl.steps=6', '--json'];
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { ...process.env, ...folders }, stdio: 'ignore' });
  const before = server.asked.length;
  while (server.asked.slice(before).filter((path) => path === 'optim_step').length < 12) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([130, null]);
  const run = runs().find((name) => name.includes('stopped'))!;
  const resumed = await agentgym('train', '--resume', run, '--json');
  expect(resumed.stderr).not.toContain('Error');
  expect(resumed.code).toBe(0);
});

it('ends with the reason if the server is away, and leaves no run', async () => {
  isAway = true;
  const before = runs().length;
  const result = await agentgym('train', 'recipe.yaml', '--json');
  isAway = false;
  expect(result.code).toBe(2);
  expect(documentOf(result)).toMatchObject({ error: { code: 'AG_POLICY_UNAVAILABLE' } });
  expect(runs().length).toBe(before);
});
