/**
 * The checker of models on recordings. Most tests take one with weights stored as bfloat16, norms on q and k, a tied
 * head, and heads wider than hidden / heads.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

import { afterAll, describe, expect, it } from 'vitest';

import { isLong } from '../long.js';

const program = fileURLToPath(new URL('./run.js', import.meta.url));
const recorded = (name: string) => fileURLToPath(new URL(`./fixtures/models/${name}`, import.meta.url));
const recording = recorded('qwen3-bfloat16');
const folder = mkdtempSync(join(tmpdir(), 'agentgym-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));

function golden(...given: string[]) {
  return spawnSync(process.execPath, [program, 'models', ...given], { encoding: 'utf8' });
}

interface Golden {
  entropy: number[][];
  training: { parameters_after: { [name: string]: { norm: number } } };
}

/** The recording with its numbers changed. */
function changed(name: string, change: (golden: Golden) => void): string {
  const copy = join(folder, name);
  cpSync(recording, copy, { recursive: true });
  const path = join(copy, 'golden.json.gz');
  const content = JSON.parse(gunzipSync(readFileSync(path)).toString('utf8')) as Golden;
  change(content);
  writeFileSync(path, gzipSync(JSON.stringify(content)));
  return copy;
}

describe('golden models', () => {
  it('agrees with transformers at one thread and at two', () => {
    const { status, stdout } = golden(recording);
    expect(stdout).toMatch(/threads 1: 25943 numbers agree, 0 do not\n.*threads 2: 25943 numbers agree, 0 do not\n$/s);
    expect(status).toBe(0);
  });

  it('says which number is the first that does not agree', () => {
    const wrong = changed('wrong', ({ entropy, training }) => {
      entropy[1]![2]! += 2e-4;
      training.parameters_after['model.norm.weight']!.norm *= 1.001;
    });
    const { status, stdout } = golden(wrong, '--threads', '1');
    expect(stdout).toMatch(
      /25941 numbers agree, 2 do not\n {2}the first that does not: entropy of sequence 1\[2\]: ours /,
    );
    expect(status).toBe(1);
  });

  // Layers without rotary positions; windows shorter than the sequences, in training and through the cache.
  it.each([
    ['smollm3', 14017],
    ['gemma3', 14173],
  ])('agrees with transformers about %s', (name, numbers) => {
    const { status, stdout } = golden(recorded(name), '--threads', '1');
    expect([status, stdout]).toEqual([0, `${name}, threads 1: ${numbers} numbers agree, 0 do not\n`]);
  });

  it.each<[string, number]>([
    ['qwen2-lora', 26262],
    ['qwen2-dora', 26535],
    ...(isLong
      ? ([
          ['smollm3-lora', 14446],
          ['gemma3-lora', 14446],
        ] as [string, number][])
      : []),
  ])('agrees with peft about %s: forward, generation, training, and merged', (name, numbers) => {
    const { status, stdout } = golden(recorded(name), '--threads', '1');
    expect([status, stdout]).toEqual([0, `${name}, threads 1: ${numbers} numbers agree, 0 do not\n`]);
  });

  it('refuses what is no recording', () => {
    const none = golden(fileURLToPath(new URL('.', import.meta.url)));
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('it has no config.json')]);
    expect(golden().status).toBe(2);
  });
});
