import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  type Asked,
  type ChatServer,
  completion,
  startChatServer,
} from '../../plugins/policy-openai/src/fixtures/chat-server.js';
import { recordedChat, recording } from '../../plugins/policy-openai/src/fixtures/recording.js';
import { bin, type CliResult, documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const plugin = fileURLToPath(new URL('../../plugins/policy-openai', import.meta.url));
const folders = freshDataFolders();
const cwd = mkdtempSync(join(tmpdir(), 'agentgym-text-models-'));
let server: ChatServer;
/** Whose answers are replayed. */
let kind: 'vllm' | 'llama-server' = 'vllm';

/** Plays guess-number by halving the interval, which wins every game. */
function bisect({ body }: Asked): string {
  let bounds = [0, 0];
  for (const { role, content } of body['messages'] as { role: string; content: string }[]) {
    const found = role === 'user' ? /(?:between |, )(\d+) (?:and|to) (\d+)/.exec(content) : null;
    if (found) bounds = [Number(found[1]), Number(found[2])];
  }
  return String(Math.floor((bounds[0]! + bounds[1]!) / 2));
}

const agentgym = (...args: string[]): Promise<CliResult> => runWarm(args, { cwd, environment: folders });

beforeAll(async () => {
  server = await startChatServer((asked) =>
    asked.path === '/v1/models' ? recording(`${kind}/models`) : recordedChat(`${kind}/chat`, bisect(asked)),
  );
  expect((await agentgym('plugins', 'link', plugin)).code).toBe(0);
}, 60_000);

afterAll(async () => {
  await server.close();
  rmSync(cwd, { recursive: true });
  rmSync(folders.AGENTGYM_DATA_DIR, { recursive: true });
});

describe('a text model behind an endpoint', () => {
  it('is evaluated beside the baselines of the environment, with what it used', async () => {
    const before = server.asked.length;
    const result = await agentgym(
      'evaluate',
      `openai:${server.url}`,
      '--environment',
      'guess-number',
      '--tasks',
      '30',
      '--json',
    );
    expect(result.code).toBe(0);
    const { textModel, evaluation, baselines, policy } = documentOf(result) as {
      policy: string;
      evaluation: { success: { rate: number } };
      baselines: Record<string, { success: { rate: number } }>;
      textModel: { facts: object; usage: { requests: number } };
    };
    expect(policy).toBe(`openai:${server.url.slice('http://'.length)}`);
    expect(evaluation.success).toMatchObject({ rate: 1, episodes: 30 });
    expect(baselines['oracle']!.success.rate).toBe(1);
    expect(baselines['random']!.success.rate).toBeLessThan(0.8);
    expect(textModel.facts).toMatchObject({ model: 'Qwen/Qwen2.5-0.5B-Instruct', temperature: 0 });
    // One request asked for the list of models.
    const requests = server.asked.length - before - 1;
    expect(textModel.usage).toEqual({
      requests,
      promptTokens: 16 * requests,
      completionTokens: 3 * requests,
      unknown: 0,
    });
  });

  it('gives demonstrations and is watched', async () => {
    kind = 'llama-server';
    const url = `openai:${server.url.replace('//', '//me:secret@')}`;
    const played = await agentgym('play', 'guess-number', '--policy', url);
    expect(played).toMatchObject({ code: 0, stdout: expect.stringContaining('solved in') as string });
    const written = await agentgym(
      'demonstrate',
      'guess-number',
      '--policy',
      url,
      '--tasks',
      '4',
      '--filter',
      'success',
      '--output',
      'won.jsonl',
    );
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('kept 4 episodes') as string });
    expect(readFileSync(join(cwd, 'won.jsonl'), 'utf8')).not.toContain('secret');
  });

  it('answers in a format of the command', async () => {
    const args = ['guess-number', '--policy', `openai:${server.url}`, '--format', 'react', '--turns', '2'];
    const result = await agentgym('play', ...args, '--json');
    expect(result.code).toBe(0);
    const { episodes } = documentOf(result) as { episodes: { turns: { observation: string }[] }[] };
    // The model writes numbers, which are no actions in this format.
    expect(episodes[0]!.turns[0]!.observation).toBe('invalid');
    const prompt = server.asked.at(-1)!.body['messages'] as { content: string }[];
    expect(prompt[0]!.content).toContain('Thought');
  });

  it.each<[string, string[], string, string]>([
    ['a budget', ['--policy-option', 'maxTotalTokens=20'], 'AG_PLAYER_UNAVAILABLE', 'the budget is spent'],
    ['a wrong option', ['--policy-option', 'maxTokens=0'], 'AG_OPTION_INVALID', 'maxTokens'],
    [
      'a limit that only it can count',
      ['--max-action-tokens', '9'],
      'AG_COMMAND_USAGE',
      'agentgym describe player openai',
    ],
    ['a format that is not there', ['--format', 'reakt'], 'AG_CONTRIBUTION_UNKNOWN', 'react'],
  ])('ends with exit code 2 for %s', async (_, flags, code, words) => {
    const args = ['evaluate', `openai:${server.url}`, '--environment', 'guess-number', '--tasks', '20', '--json'];
    const result = await agentgym(...args, ...flags);
    expect(result.code).toBe(2);
    const { error } = documentOf(result) as { error: { code: string; message: string; hint: string } };
    expect(error.code).toBe(code);
    expect(error.message + error.hint).toContain(words);
  });

  // Goes red when the hint of a run that can resume stands under a command that saves nothing.
  it('is left at once by Ctrl-C', async () => {
    const silent = await startChatServer(() => ({ ...completion('1'), milliseconds: 60_000 }));
    const args = ['evaluate', `openai:${silent.url}`, '--environment', 'guess-number', '--policy-option', 'model=any'];
    const child = spawn(process.execPath, [bin, ...args], {
      cwd,
      env: { ...process.env, ...folders, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (told += part));
    while (silent.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.once('close', resolve));
    await silent.close();
    expect(code).toBe(130);
    expect(told).toContain('Interrupted. Interrupt again to stop at once.');
    expect(told).toContain('Nothing was written; run the same command again.');
    expect(told).not.toContain('--resume');
  });

  it('is told where a model is missing, without the secrets of an address', async () => {
    const address = 'http://me:secret@127.0.0.1:4/v1';
    const common = ['--environment', 'guess-number', '--tasks', '2'];
    const results = [
      await agentgym('evaluate', `openai:${address}`, ...common, '--policy-option', 'retries=0'),
      await agentgym('evaluate', `openia:${address}`, ...common),
      await agentgym('evaluate', `openai:${address}`),
    ];
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2]);
    const [down, unknown, nowhere] = results.map(({ stderr }) => stderr);
    expect(down).toContain('127.0.0.1:4/v1 cannot be reached (ECONNREFUSED)');
    expect(unknown).toContain('there is no player called `openia`');
    expect(nowhere).toContain('does not say in which environment it plays');
    expect(results.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain('secret');
  });
});
