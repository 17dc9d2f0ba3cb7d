import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { runCli } from './run-cli.js';

const preload = fileURLToPath(new URL('./fixtures/record-modules.js', import.meta.url));
/** Modules that cost start-up time: tensor libraries, schemas, terminals, git, configuration, plugins' own code. */
const HEAVY =
  /node_modules\/(onnxruntime-|@tensorflow\/|@huggingface\/|protobufjs|valibot|zod|listr2|simple-git|cosmiconfig|jiti|yaml)\b|\/plugins\/[^/]+\/dist\//;

async function modulesOf(...args: string[]): Promise<string[]> {
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-modules-')), 'modules');
  const nodeFlags = ['--no-warnings', '--import', preload];
  const { code, stdout } = await runCli(args, { nodeFlags, environment: { RECORD_MODULES: file } });
  expect(code).toBe(0);
  expect(stdout).not.toBe('');
  return readFileSync(file, 'utf8').split('\n');
}

describe('--help', () => {
  it('loads oclif and no library that costs start-up time', async () => {
    const modules = await modulesOf('--help');
    expect(modules.some((name) => name.includes('@oclif/core'))).toBe(true);
    expect(modules.filter((name) => HEAVY.test(name))).toEqual([]);
  });

  it('sees heavy libraries where they are loaded', async () => {
    // The recorder must be able to find heavy modules: `list` reads recipes and plugins.
    const modules = await modulesOf('list');
    expect(modules.filter((name) => HEAVY.test(name))).not.toEqual([]);
  });
});
