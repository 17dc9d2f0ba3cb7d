import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { changedRecipe } from './fixtures/tiny-recipe.js';
import { type CliResult, documentOf } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const cwd = mkdtempSync(join(tmpdir(), 'agentgym-episodes-'));
const agentgym = (...args: string[]): Promise<CliResult> => runWarm(args, { cwd });
const linesOf = <Line>(file: string) =>
  readFileSync(join(cwd, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

beforeAll(async () => {
  const recipe = changedRecipe(
    'horizon:',
    'format: { name: react }\ntools: [{ name: calculator }]\nrecord: { episodes: 4 }\nhorizon:',
  );
  writeFileSync(join(cwd, 'recipe.yaml'), recipe.replace('maxActionTokens: 4', 'maxActionTokens: 16'));
  expect(await agentgym('train', 'recipe.yaml', '--output', 'runs/tiny')).toMatchObject({ code: 0 });
}, 120_000);

afterAll(() => rmSync(cwd, { recursive: true }));

describe('agentgym runs episodes', () => {
  it('writes what the run recorded, with the prompt of its format and tools', async () => {
    const chat = documentOf(
      await agentgym('runs', 'episodes', 'latest', '--as', 'chat', '--to', 'chat.jsonl', '--json'),
    );
    const atif = documentOf(
      await agentgym('runs', 'episodes', 'latest', '--as', 'atif', '--log', 'rl', '--to', 'atif.jsonl', '--json'),
    );
    const logs = linesOf<{ turns: { text: string }[] }>('runs/tiny/episodes/rl.jsonl');
    expect(atif).toMatchObject({ episodes: logs.length, leftOut: 0 });
    expect(Number(chat['episodes'])).toBeGreaterThan(logs.length);
    const chats = linesOf<{ messages: { role: string; content: string }[] }>('chat.jsonl');
    const [system] = chats[0]!.messages;
    expect(system!.role).toBe('system');
    expect(system!.content).toContain('Thought');
    expect(system!.content).toContain('<calculator>');
    const documents = linesOf<{ steps: { source: string; message: string }[] }>('atif.jsonl');
    const texts = documents.map(({ steps }) =>
      steps.filter((step) => step.source === 'agent').map(({ message }) => message),
    );
    expect(texts).toEqual(logs.map(({ turns }) => turns.map(({ text }) => text)));
  });

  it('writes nothing where it cannot, with exit code 2', async () => {
    const before = readdirSync(cwd);
    const write = (...flags: string[]) => agentgym('runs', 'episodes', 'latest', '--as', 'chat', ...flags);
    const results = [
      await write('--to', 'chat.jsonl'),
      await write('--to', 'new.jsonl', '--log', 'sft'),
      await write('--to', 'none/new.jsonl'),
      await write('--to', 'new.jsonl', '--filter', 'success', '--log', 'rl'),
    ];
    const words = ['already exists', 'no log `sft`', 'no such file or directory', 'No episode was written'];
    for (const [index, { code, stderr }] of results.entries()) {
      expect(code).toBe(2);
      expect(stderr).toContain(words[index]);
    }
    expect(readdirSync(cwd)).toEqual(before);
  });
});
