import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { tinyRecipe } from './fixtures/tiny-recipe.js';
import { bin, type CliResult, documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const folders = freshDataFolders();
const cwd = mkdtempSync(join(tmpdir(), 'agentgym-serve-'));
const key = 'a-key-of-16-characters';
let server: ChildProcess;
let url: string;

const agentgym = (...args: string[]): Promise<CliResult> =>
  runWarm(args, { cwd, environment: { ...folders, OPENAI_API_KEY: key } });

beforeAll(async () => {
  writeFileSync(join(cwd, 'recipe.yaml'), tinyRecipe);
  const plugin = fileURLToPath(new URL('../../plugins/policy-openai', import.meta.url));
  expect((await agentgym('plugins', 'link', plugin)).code).toBe(0);
  expect((await agentgym('train', 'recipe.yaml', '--output', 'runs/tiny')).code).toBe(0);
  server = spawn(process.execPath, [bin, 'serve', '--policy', 'runs/tiny', '--port', '0', '--json'], {
    cwd,
    env: { ...process.env, ...folders, NODE_ENV: 'production', AGENTGYM_SERVE_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  url = await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error(`the server ended: ${text}`)));
    server.stdout!.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('}')) resolve((JSON.parse(text) as { url: string }).url);
    });
  });
}, 120_000);

afterAll(() => {
  server.kill('SIGKILL');
  rmSync(cwd, { recursive: true });
  rmSync(folders.AGENTGYM_DATA_DIR, { recursive: true });
});

describe('agentgym serve', () => {
  it('plays through the wire as the run itself plays', async () => {
    const common = ['--tasks', '60', '--split', 'test', '--json'];
    const own = documentOf(await agentgym('evaluate', 'runs/tiny', ...common));
    const flags = ['--environment', 'guess-number', '--option', 'width=[4,6]', '--turns', '4'];
    const wire = documentOf(
      await agentgym('evaluate', `openai:${url}`, ...flags, ...common, '--policy-option', 'maxTokens=4'),
    );
    expect(wire['evaluation']).toEqual(own['evaluation']);
    expect(wire['textModel']).toMatchObject({ usage: { unknown: 0 } });
  });

  it('answers the official client, 32 requests at a time, of which one is given up', async () => {
    const client = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 });
    const { data } = await client.models.list();
    const [{ id: model }] = data as [OpenAI.Model];
    const ask = (seed: number, signal?: AbortSignal) =>
      client.chat.completions.create(
        {
          model,
          seed,
          messages: [{ role: 'user', content: 'Guess my number between 4 and 9.' }],
          max_tokens: 3,
          logprobs: true,
        },
        { ...(signal && { signal }) },
      );
    const abort = new AbortController();
    const given = ask(0, abort.signal);
    const all = Array.from({ length: 31 }, (_, index) => ask(index + 1));
    setTimeout(() => abort.abort(), 1);
    await expect(given).rejects.toThrow(OpenAI.APIUserAbortError);
    for (const [index, answer] of (await Promise.all(all)).entries()) {
      const [choice] = answer.choices;
      expect(choice!.logprobs!.content!.every(({ logprob }) => logprob <= 0)).toBe(true);
      if (index < 4) expect((await ask(index + 1)).choices).toEqual(answer.choices);
    }
    const stream = await client.chat.completions.create({
      ...{ model, seed: 1, max_tokens: 3, stream: true, stream_options: { include_usage: true } },
      messages: [{ role: 'user', content: 'Guess my number between 4 and 9.' }],
    });
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    expect(text).toBe((await ask(1)).choices[0]!.message.content);
    await expect(new OpenAI({ baseURL: url, apiKey: 'wrong', maxRetries: 0 }).models.list()).rejects.toThrow(
      OpenAI.AuthenticationError,
    );
  });

  it('refuses what it cannot serve, with exit code 2', async () => {
    const results = [
      await agentgym('serve', '--policy', 'oracle'),
      await agentgym('serve', '--policy', 'runs/none'),
      await agentgym('serve', '--policy', 'runs/tiny', '--port', new URL(url).port),
      await agentgym('serve', '--policy', 'runs/tiny', '--host', '0.0.0.0'),
    ];
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    const words = ['is not a run', 'runs/none', 'another program uses it', 'AGENTGYM_SERVE_KEY'];
    for (const [index, { stderr }] of results.entries()) expect(stderr).toContain(words[index]);
  });

  it('stops when it is interrupted', async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT');
    expect(await ended).toBe(0);
  });
});
