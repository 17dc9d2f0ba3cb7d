// A policy learns in one process while `agentgym serve` samples its training episodes in another, with the adapters that
// it is given.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { longIt } from '../long.js';
import { tinyRecipe } from './fixtures/tiny-recipe.js';
import { bin, type CliResult, documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const folders = freshDataFolders();
const cwd = mkdtempSync(join(tmpdir(), 'agentgym-sampler-'));
const key = 'a-key-of-16-characters';
const environment = { ...folders, OPENAI_API_KEY: key };
let server: ChildProcess;
let url: string;

const agentgym = (...args: string[]): Promise<CliResult> => runWarm(args, { cwd, environment });

/** Serves the base model on a port, and resolves with the address. */
async function serve(port: number): Promise<string> {
  const args = ['serve', '--policy', './base', '--adapters', './weights', '--policy-option', 'threads=1', '--json'];
  const env = { ...process.env, ...folders, NODE_ENV: 'production', AGENTGYM_SERVE_KEY: key };
  server = spawn(process.execPath, [bin, ...args, '--port', String(port)], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started = server;
  let text = '';
  return new Promise((resolve, reject) => {
    started.once('exit', () => reject(new Error(`the server ended: ${text}`)));
    started.stdout!.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('}')) resolve((JSON.parse(text) as { url: string }).url);
    });
  });
}

beforeAll(async () => {
  writeFileSync(join(cwd, 'recipe.yaml'), tinyRecipe);
  mkdirSync(join(cwd, 'weights'));
  const plugin = fileURLToPath(new URL('../../plugins/policy-openai', import.meta.url));
  expect((await agentgym('plugins', 'link', plugin)).code).toBe(0);
  const more = ['--set', 'stages.sft.steps=60', '--set', 'stages.sft.demonstrations.count=200'];
  expect((await agentgym('train', 'recipe.yaml', '--output', 'runs/base', ...more)).code).toBe(0);
  expect((await agentgym('export', 'runs/base', '--to', 'base')).code).toBe(0);
  url = await serve(0);
  const recipe = {
    ...{ recipeVersion: 1, name: 'elsewhere', environment: { name: 'guess-number', options: { width: [4, 6] } } },
    policy: {
      ...{ name: 'transformer', from: './base', sampling: { maxActionTokens: 4 } },
      options: { threads: 1, loraRank: 4 },
      sampler: { name: 'openai', address: url, folder: './weights', options: { retries: 1 } },
    },
    algorithm: { name: 'grpo', groupSize: 4, recomputeLogprobs: true },
    horizon: { schedule: 'fixed', turns: 4 },
    stages: { rl: { kind: 'rl', tasksPerStep: 8, steps: 4, optimizer: { learningRate: 0.02 } } },
    evaluation: { every: 0, final: { tasks: 4 } },
    checkpoint: { every: 1 },
  };
  writeFileSync(join(cwd, 'elsewhere.json'), JSON.stringify(recipe));
}, 120_000);

afterAll(() => {
  server.kill('SIGKILL');
  rmSync(cwd, { recursive: true });
  rmSync(folders.AGENTGYM_DATA_DIR, { recursive: true });
});

const linesOf = (run: string, name: string): Record<string, number>[] =>
  readFileSync(join(cwd, 'runs', run, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line, (at, value: unknown) => (at.startsWith('time/') ? undefined : value)) as never);

/** Ids of the models on the server. */
async function served(): Promise<string[]> {
  const answer = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return data.map(({ id }) => id);
}

describe('a policy whose sampler is a server', { timeout: 180_000 }, () => {
  it('learns from episodes of its newest weights', async () => {
    const result = await agentgym('train', 'elsewhere.json', '--output', 'runs/whole', '--json');
    expect(result.stderr).toContain('the sampler openai draws its own random numbers');
    expect(documentOf(result)).toMatchObject({ status: 'completed', spent: { episodes: 128 } });
    const gaps = linesOf('whole', 'metrics.jsonl').flatMap((step) => step['train/logprob_gap'] ?? []);
    // A step in which all members of each group play equally learns nothing.
    expect(gaps.length).toBeGreaterThan(2);
    expect(Math.max(...gaps)).toBeLessThan(1e-4);
    const { policy } = JSON.parse(readFileSync(join(cwd, 'runs/whole/manifest.json'), 'utf8')) as { policy: object };
    expect(policy).toMatchObject({ sampler: { name: 'openai', server: url.slice(7) } });
    // The server has only its base again, and no folder is left.
    expect(await served()).toEqual(['base']);
    expect(readdirSync(join(cwd, 'weights'))).toEqual([]);
  });

  longIt('stops in an outage, and goes on at a server elsewhere as if nothing had been', async () => {
    const path = join(cwd, 'runs/stopped/metrics.jsonl');
    const training = agentgym('train', 'elsewhere.json', '--output', 'runs/stopped', '--json');
    const steps = (): number => {
      try {
        return readFileSync(path, 'utf8').split('\n').length - 1;
      } catch {
        return 0;
      }
    };
    while (steps() < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    server.kill('SIGKILL');
    const stopped = await training;
    expect(stopped.code).toBe(2);
    const { error } = documentOf(stopped) as { error: { code: string; message: string; hint: string } };
    expect(error).toMatchObject({ code: 'AG_POLICY_UNAVAILABLE', hint: expect.stringContaining('--resume') });
    expect(error.message).toContain(`${url.slice(7)} cannot be reached`);
    url = await serve(0);
    const other = ['--set', `policy.sampler.address=${url}`, '--json'];
    const resumed = await agentgym('train', '--resume', 'runs/stopped', ...other);
    expect(documentOf(resumed)).toMatchObject({ status: 'completed' });
    expect(linesOf('stopped', 'metrics.jsonl')).toEqual(linesOf('whole', 'metrics.jsonl'));
    expect(linesOf('stopped', 'evaluations.jsonl')).toEqual(linesOf('whole', 'evaluations.jsonl'));
  });

  it.each<[string, readonly string[], string, RegExp]>([
    ['no correction', ['algorithm.recomputeLogprobs=false'], 'AG_POLICY_CANNOT', /sampler `openai` does not promise/],
    ['a password', ['policy.sampler.address=http://me:hidden@here/v1'], 'AG_RECIPE_INVALID', /no name and no password/],
    [
      'another temperature',
      ['policy.sampling.temperature=0.5'],
      'AG_PLUGIN_FAILED',
      /those of temperature 1, not 0\.5/,
    ],
    ['an unknown option', ['policy.sampler.options.cache=1'], 'AG_RECIPE_UNKNOWN_KEY', /`cache`|cache/],
  ])('is checked without a server: %s', async (_, sets, code, message) => {
    const flags = sets.flatMap((set) => ['--set', set]);
    const result = await agentgym('train', 'elsewhere.json', '--check', '--json', ...flags);
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { code, message: expect.stringMatching(message) } });
    expect(result.stdout + result.stderr).not.toContain('hidden');
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      'a folder that the server does not see',
      ['policy.sampler.folder=./elsewhere'],
      /does not see the folder .*serverFolder/,
    ],
    ['a whole model', ['policy.options.loraRank=null'], /adapters only.*policy\.options\.loraRank/],
    ['nobody listens', ['policy.sampler.address=http://127.0.0.1:4'], /cannot be reached/],
  ])('ends before it starts, with the cure: %s', async (_, sets, message) => {
    const isElsewhere = sets.some((set) => set.includes('address'));
    const all = isElsewhere ? sets : [...sets, `policy.sampler.address=${url}`];
    const flags = all.flatMap((set) => ['--set', set]);
    const result = await agentgym('train', 'elsewhere.json', '--output', 'runs/none', '--json', ...flags);
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { message: expect.stringMatching(message) } });
    expect(readdirSync(join(cwd, 'runs'))).not.toContain('none');
  });
});
