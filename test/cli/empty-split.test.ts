import { describe, expect, it } from 'vitest';

import { documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';
import { coinCode, coinEntry, link, newFolder, packageJson } from './write-plugin.js';

const folder = newFolder({
  'package.json': packageJson({ name: 'plugin-coin' }),
  'index.js': coinEntry(),
  'coin.js': coinCode().replace('test: every(2)', 'test: { ...every(2), count: 0 }'),
});
const environment = freshDataFolders(newFolder());
link(environment.AGENTGYM_DATA_DIR, { 'plugin-coin': folder });
const run = (...args: string[]) => runWarm(args, { cwd: newFolder(), environment });

// Goes red without refuseEmptySplit: `evaluate` then prints 0.0 % of 0 episodes and ends with 0.
describe('a split without tasks', () => {
  it.each([
    [['evaluate', 'random', '--environment', 'coin', '--json']],
    [['play', 'coin', '--policy', 'random', '--split', 'test', '--json']],
    [['demonstrate', 'coin', '--policy', 'oracle', '--split', 'test', '--output', 'x.jsonl', '--json']],
    [['train', 'quickstart', '--check', '--environment', 'coin', '--json']],
  ])('has no result: %s', async (args) => {
    const ended = await run(...args);
    expect(ended.code, ended.stderr).toBe(2);
    expect(documentOf(ended)).toMatchObject({
      error: { code: 'AG_ENVIRONMENT_CANNOT', message: expect.stringContaining('`test`') as string },
    });
  });
});

it('all tasks of a split without end are refused with the key to set', async () => {
  const ended = await run('train', 'quickstart', '--check', '--environment', 'textworld-custom', '--json');
  expect(ended.code).toBe(2);
  expect(documentOf(ended)).toMatchObject({
    error: { code: 'AG_RECIPE_INVALID', hint: expect.stringContaining('--set evaluation.final.tasks=') as string },
  });
  expect(ended.stderr).not.toContain('Infinity');
});
