import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { documentOf, freshDataFolders, runCli } from './run-cli.js';
import { runWarm } from './warm-cli.js';

describe('the command line', () => {
  it('ends with 2 for an unknown command and suggests the nearest', async () => {
    const result = await runCli(['lst', '--json']);
    expect(result.code).toBe(2);
    expect(documentOf(result)).toEqual({
      formatVersion: 1,
      error: {
        code: 'AG_COMMAND_UNKNOWN',
        message: 'there is no command `lst`',
        hint: 'Did you mean `agentgym list`?',
      },
    });
  });

  it('ends with 2 for a word after a command that takes no argument, and gives one message', async () => {
    const result = await runCli(['runs', 'list', 'elsewhere']);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toBe(
      'Error AG_COMMAND_USAGE:\n  `agentgym runs list` takes no argument `elsewhere`\n    See `agentgym runs list --help`.\n',
    );
  });

  it('ends with 2 for flags and arguments that a command does not take, with and without --json', async () => {
    const plain = await runCli(['list', '--colour']);
    expect(plain).toMatchObject({ code: 2, stdout: '' });
    expect(plain.stderr).toContain('See `agentgym list --help`.');
    const json = await runCli(['list', 'planets', '--json']);
    expect(json.code).toBe(2);
    expect(documentOf(json)).toMatchObject({
      error: { code: 'AG_COMMAND_USAGE', hint: 'See `agentgym list --help`.' },
    });
  });

  it('gives one document on standard output', async () => {
    const result = await runCli(['list', '--json']);
    expect(result.code).toBe(0);
    const document = documentOf(result);
    const kinds = 'environments rewards policies algorithms formats tools players samplers curricula recipes'.split(
      ' ',
    );
    expect(Object.keys(document)).toEqual(['formatVersion', ...kinds]);
    expect(document['recipes']).toContainEqual(
      expect.objectContaining({ name: 'quickstart', plugin: '@agentgym/cli' }),
    );
    expect(document['rewards']).toContainEqual(
      expect.objectContaining({ name: 'sparse', plugin: '@agentgym/plugin-reward-standard' }),
    );
  });

  it('speaks for commands of other packages too', async () => {
    const environment = freshDataFolders();
    const root = mkdtempSync(join(tmpdir(), 'agentgym-foreign-'));
    const oclif = import.meta.resolve('@oclif/core');
    const command = `import { Command } from '${oclif}';
export default class Greet extends Command {
  static enableJsonFlag = true;
  async run() { throw new Error('nobody there'); }
}`;
    mkdirSync(join(root, 'commands'));
    writeFileSync(join(root, 'commands', 'greet.js'), command);
    const json = { name: 'foreign', version: '1.0.0', type: 'module', oclif: { commands: './commands' } };
    writeFileSync(join(root, 'package.json'), JSON.stringify(json));
    const list = { oclif: { schema: 1, plugins: [{ type: 'link', name: 'foreign', root }] } };
    writeFileSync(join(environment.AGENTGYM_DATA_DIR, 'package.json'), JSON.stringify(list));
    const result = await runCli(['greet', '--json'], { environment });
    expect(result.code).toBe(2);
    expect(documentOf(result)).toEqual({
      formatVersion: 1,
      error: { code: 'AG_COMMAND_FAILED', message: 'nobody there', hint: 'See `agentgym greet --help`.' },
    });
    expect(result.stderr).not.toMatch(/^\s+at /m);
  });

  it('says what is missing where nobody can play', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'agentgym-empty-'));
    const latest = documentOf(await runWarm(['evaluate', 'latest', '--json'], { cwd }));
    expect(latest).toMatchObject({ error: { code: 'AG_RUN_NOT_FOUND' } });
    const random = documentOf(await runWarm(['evaluate', 'random', '--json'], { cwd }));
    rmSync(cwd, { recursive: true });
    expect(random).toMatchObject({
      error: { code: 'AG_COMMAND_USAGE', hint: expect.stringContaining('--environment') as unknown },
    });
  });

  it('describes a contribution and its options, and suggests the nearest for a wrong name', async () => {
    const found = documentOf(await runWarm(['describe', 'environment', 'guess-number', '--json']));
    expect(found).toMatchObject({ kind: 'environment', name: 'guess-number', schema: { additionalProperties: false } });
    expect(found).toMatchObject({ facts: ['success', 'invalid', 'progress', 'milestones', 'references'] });
    expect(documentOf(await runWarm(['describe', 'reward', 'dense', '--json']))).toMatchObject({
      needs: ['milestones'],
    });
    const lost = await runWarm(['describe', 'environment', 'guess-numbre', '--json']);
    expect(lost.code).toBe(2);
    expect(documentOf(lost)).toMatchObject({
      error: { code: 'AG_CONTRIBUTION_UNKNOWN', hint: expect.stringContaining('Did you mean `guess-number`?') },
    });
  });

  it('describes a contribution by its name alone, and suggests the nearest for a wrong one', async () => {
    expect(documentOf(await runWarm(['describe', 'grpo', '--json']))).toMatchObject({
      kind: 'algorithm',
      name: 'grpo',
    });
    const lost = await runWarm(['describe', 'grpoo', '--json']);
    expect(lost.code).toBe(2);
    expect(documentOf(lost)).toMatchObject({
      error: { code: 'AG_COMMAND_USAGE', hint: expect.stringContaining('Did you mean `grpo`?') },
    });
  });

  it('writes to a pipe that closes early without an error', async () => {
    const { spawn } = await import('node:child_process');
    const { bin, freshDataFolders } = await import('./run-cli.js');
    const child = spawn('sh', ['-c', `"${process.execPath}" "${bin}" list --json | head -c 1; echo "$?"`], {
      env: { ...process.env, ...freshDataFolders() },
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    await new Promise((resolve) => child.on('close', resolve));
    expect(stderr).toBe('');
  });
});
