// The examples of the guides are code: the conformance kits find nothing in them, and an agent learns in the first
// environment.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  checkActionFormat,
  checkAlgorithm,
  checkEnvironment,
  checkPolicyModel,
  checkReward,
  optionDefaults,
  testHost,
} from '@agentgym/cli/testing';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import * as arrow from '../../docs/guides/examples/arrow/arrow.js';
import contributions from '../../docs/guides/examples/lamp/index.js';
import * as lamp from '../../docs/guides/examples/lamp/lamp.js';
import { options } from '../../docs/guides/examples/lamp/options.js';
import * as reinforce from '../../docs/guides/examples/reinforce/reinforce.js';
import * as table from '../../docs/guides/examples/table/table.js';
import * as tempo from '../../docs/guides/examples/tempo/tempo.js';
import { repository } from '../architecture/source-files.js';
import { runCli } from '../cli/run-cli.js';
import { codeBlocks, noteOf } from './code-blocks.js';

const examples = join(repository, 'docs/guides/examples');
const guide = codeBlocks('docs/guides/writing-an-environment.md');

describe('the kits find nothing in', () => {
  it('the environment', async () => {
    const subject = { ...lamp, options: optionDefaults(options), contribution: contributions[0]! };
    expect(await checkEnvironment(subject)).toEqual([]);
  });

  it('the reward', async () => {
    expect(await checkReward({ ...tempo, options: { bonus: 0.5 } })).toEqual([]);
  });

  it('the algorithm', async () => {
    expect(await checkAlgorithm({ ...reinforce, options: { memory: 0.9 } })).toEqual([]);
  });

  it('the action format', async () => {
    expect(await checkActionFormat({ ...arrow, options: {} })).toEqual([]);
  });

  it('the policy', async () => {
    const context = { corpus: () => corpus(), preset: 'table', valueHead: false };
    const create = () => table.create({ memory: 3 }, testHost(), context);
    const settings = { actions: ['7', '8'], observations: ['higher, 8 to 9', 'correct'], learningRate: 0.1 };
    expect(await checkPolicyModel({ create }, settings)).toEqual([]);
  });
});

it('the environment is as short as the guide says', () => {
  const lines = readFileSync(join(examples, 'lamp/lamp.ts'), 'utf8').trimEnd().split('\n').length;
  expect(lines).toBeLessThan(60);
  expect(readFileSync(join(repository, 'docs/guides/writing-an-environment.md'), 'utf8')).toContain(
    `of ${lines} lines`,
  );
});

// Trains by the guide's recipe without cuts. One engine thread is less work than several, and gives the same result on any
// number of cores. Goes red when the environment's facts or tasks leave nothing to learn.
it('reinforcement learning teaches an agent something there', { timeout: 600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-lamp-'));
  mkdirSync(join(folder, 'dist'));
  for (const name of readdirSync(join(examples, 'lamp')).filter((file) => !file.endsWith('.test.ts'))) {
    const text = ts.transpile(readFileSync(join(examples, 'lamp', name), 'utf8'), {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
    });
    writeFileSync(join(folder, 'dist', name.replace(/\.ts$/, '.js')), text);
  }
  symlinkSync(join(examples, 'package/package.json'), join(folder, 'package.json'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'lamp.yaml'), guide.find((block) => noteOf(block, 'file') === 'lamp.yaml')?.text ?? '');
  // The 27 tasks ten times each: once at temperature 0, chance decides.
  const settings = ['policy.options.threads=1', 'evaluation.every=60', 'evaluation.final.episodesPerTask=10'];
  const sets = settings.flatMap((setting) => ['--set', setting]);
  const { code, stdout, stderr } = await runCli(['train', 'lamp.yaml', '--json', ...sets], { cwd: folder });
  expect(code, stderr).toBe(0);
  const { starts, evaluations } = JSON.parse(stdout) as { starts: readonly Outcome[]; evaluations: readonly Outcome[] };
  const rate = (outcomes: readonly Outcome[]) => outcomes.find(({ temperature }) => temperature === 1)!.success.rate;
  expect(rate(evaluations)).toBeGreaterThan(rate(starts) + 0.2);
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly temperature: number;
  readonly success: { readonly rate: number };
}

async function* corpus(): AsyncGenerator<string> {
  await Promise.resolve();
  yield 'Guess my number between 4 and 9. 7 higher, 8 to 9 8 correct invalid left right';
}
