import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { ggufFile, writeGgufModel } from '../../plugins/policy-transformer/src/checkpoint/gguf/fixtures/gguf-models.js';
import { exportGguf } from '../../plugins/policy-transformer/src/policy/export-gguf.js';
import { testHost } from '../../src/testing/index.js';
import { bin, freshDataFolders } from '../cli/run-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'agentgym-pull-gguf-'));
const good = ggufFile(folder, 'llama', 'q8_0');
beforeAll(async () => {
  await writeGgufModel(join(folder, 'llama'), 'llama', {
    config: { num_attention_heads: 1, num_key_value_heads: 1, intermediate_size: 256, hidden_size: 64 },
  });
  const sampling = { temperature: 1, topP: 1, topK: 0 };
  const settings = {
    dtype: 'q8_0',
    merge: false,
    name: 'llama',
    sampling,
    signal: new AbortController().signal,
  } as const;
  await exportGguf({ thinking: 'template' }, join(folder, 'llama'), good, settings, testHost().files);
});

/** `agentgym pull` as a shell runs it, with a limit for the size of files. */
function pull(file: string, limit = 'unlimited', folders = freshDataFolders(folder)) {
  const script = `ulimit -f ${limit}; exec "$@"`;
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', process.execPath, bin, 'pull', file], {
    encoding: 'utf8',
    env: { ...process.env, ...folders, NODE_ENV: 'production' },
  });
  const models = join(folders.AGENTGYM_CACHE_DIR, 'models');
  const made = () => readdirSync(join(models, 'gguf-1')).filter((name) => !/^lock\./.test(name));
  return { status, stderr, folders, made };
}

describe.skipIf(process.platform === 'win32')('agentgym pull of a GGUF file', { timeout: 120_000 }, () => {
  // Goes red when a full disk is told as a fault of the file.
  it('that does not fit the disk as a folder says so, keeps no part, and goes on later', () => {
    const limit = String(Math.ceil(statSync(good).size / 1024) + 20);
    const full = pull(good, limit);
    expect(full.stderr).toMatch(
      /AG_FILE_FAILED:\s+The folder of llama-q8_0.gguf could not be written in .*file too large \(EFBIG\)/,
    );
    expect(full.stderr).toMatch(/Make space there.*AGENTGYM_CACHE_DIR/);
    expect(full.stderr).not.toMatch(/\n\s+at /);
    expect(full).toMatchObject({ status: 2 });
    expect(full.made()).toEqual([]);
    const again = pull(good, 'unlimited', full.folders);
    expect(again).toMatchObject({ status: 0 });
    expect(again.made()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  // Goes red when a folder that a killed process left is never removed: it has five times the bytes of the file.
  it('removes what a killed pull left', () => {
    const folders = freshDataFolders(folder);
    const rest = join(folders.AGENTGYM_CACHE_DIR, 'models', 'gguf-1', `${'a'.repeat(64)}.partial-x`);
    mkdirSync(rest, { recursive: true });
    writeFileSync(join(rest, 'model.safetensors'), '');
    expect(pull(good, 'unlimited', folders).made()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it('that is damaged names the file and the cure, in a link, too', () => {
    const cut = join(folder, 'cut.gguf');
    writeFileSync(cut, readFileSync(good));
    truncateSync(cut, statSync(good).size - 100);
    symlinkSync(cut, join(folder, 'link.gguf'));
    for (const file of [cut, join(folder, 'link.gguf')]) {
      const { made, status, stderr } = pull(file);
      expect(stderr).toMatch(
        /\.gguf is damaged: it is truncated: .* ends at byte \d+ of \d+\n\s+Fetch (?:cut|link).gguf again/,
      );
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(status).toBe(2);
      expect(made()).toEqual([]);
    }
  });
});
