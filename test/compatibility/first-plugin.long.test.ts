// A plugin built against the first published contracts still loads, passes the kits, plays and trains. Its folder `lib`
// holds the published files and is never built again. Needs a built command line. A red test here requires a new
// `apiVersion`, or undoing a change.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type {
  AlgorithmModule,
  EnvironmentModule,
  FormatModule,
  Host,
  OptionsDeclaration,
  PolicyContext,
  PolicyModel,
  RewardModule,
  ToolModule,
} from '@agentgym/cli';
import {
  checkActionFormat,
  checkAlgorithm,
  checkEnvironment,
  checkPolicyModel,
  checkReward,
  checkTool,
  optionDefaults,
  testHost,
} from '@agentgym/cli/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { documentOf, freshDataFolders, runCli } from '../cli/run-cli.js';
import { repository } from '../architecture/source-files.js';
import { typeErrors } from '../types/type-errors.js';

const root = join(repository, 'test', 'compatibility', 'first-plugin');

const recipe = `
recipeVersion: 1
name: first
seed: 3
environment: { name: circle, options: { size: 5, starts: [0, 2, 3] } }
reward: { terms: [{ name: share, weight: 1 }] }
format: { name: bare }
policy: { name: table, preset: empty, sampling: { temperature: 1, maxActionTokens: 2 } }
tools: [{ name: letters }]
algorithm: { name: plain-gradient, groupSize: 4, options: { clip: 0.3 }, minibatches: 2 }
horizon: { schedule: fixed, turns: 4 }
stages:
  sft: { kind: sft, demonstrations: { expert: demonstrator, count: 20 }, batchSize: 8, steps: 4, optimizer: { learningRate: 0.3 } }
  rl: { kind: rl, tasksPerStep: 4, steps: 3, optimizer: { learningRate: 0.1 } }
evaluation: { every: 2, split: validation, tasks: 10, temperatures: [0] }
`;

describe('a plugin of the first contract, in the command line of today', () => {
  const environment = freshDataFolders();
  let work: string;
  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), 'agentgym-first-'));
    const data = environment.AGENTGYM_DATA_DIR;
    mkdirSync(data, { recursive: true });
    const oclif = { schema: 1, plugins: [{ type: 'link', name: 'plugin-first', root }] };
    writeFileSync(join(data, 'package.json'), JSON.stringify({ private: true, oclif }));
    writeFileSync(join(work, 'recipe.yaml'), recipe);
  });
  afterAll(() => {
    for (const folder of [work, environment.AGENTGYM_DATA_DIR]) rmSync(folder, { recursive: true, force: true });
  });

  it('is listed with all that it contributes', async () => {
    const result = await runCli(['list', '--json'], { environment });
    expect(result.stderr).not.toContain('has a problem');
    const listed = documentOf(result);
    const names = {
      environments: 'circle',
      rewards: 'share',
      formats: 'bare',
      algorithms: 'plain-gradient',
      policies: 'table',
      tools: 'letters',
    };
    for (const [kinds, name] of Object.entries(names)) {
      expect(listed[kinds]).toContainEqual(expect.objectContaining({ name, plugin: 'plugin-first' }));
    }
  });

  it('is asked what it has to say', async () => {
    const { subjects } = documentOf(await runCli(['doctor', '--quick', '--json'], { environment })) as {
      subjects: { subject: string; findings: unknown[] }[];
    };
    const finding = expect.objectContaining({ message: 'circles are round, true' }) as unknown;
    expect(subjects.flatMap(({ findings }) => findings)).toContainEqual(finding);
  });

  it('plays and trains', async () => {
    const result = await runCli(['train', 'recipe.yaml', '--output', 'run', '--json'], { cwd: work, environment });
    expect(result.stderr + result.stdout).not.toContain('"error"');
    expect(result.code).toBe(0);
    const lines = readFileSync(join(work, 'run', 'metrics.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(7);
    const manifest = JSON.parse(readFileSync(join(work, 'run', 'manifest.json'), 'utf8')) as { plugins: unknown };
    expect(JSON.stringify(manifest.plugins)).toContain('plugin-first');
    const evaluations = readFileSync(join(work, 'run', 'evaluations.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { player: string; evaluation: { temperature: number; success: object } });
    const greedy = evaluations.filter(({ player, evaluation }) => player === 'policy' && evaluation.temperature === 0);
    expect(greedy).toHaveLength(5);
    for (const { evaluation } of greedy) expect(evaluation.success).toMatchObject({ rate: 1 });
  }, 120_000);
});

describe('its modules, under the kits of today', () => {
  const load = async <T>(name: string) => (await import(join(root, 'lib', `${name}.js`))) as T;
  const defaults = async (name: string) =>
    optionDefaults((await load<{ options: OptionsDeclaration }>(name)).options) as never;

  it('the environment', async () => {
    const module = await load<EnvironmentModule<unknown>>('circle');
    const contribution = { name: 'circle', facts: ['progress', 'milestones'] as const };
    expect(await checkEnvironment({ ...module, options: await defaults('options'), contribution })).toEqual([]);
  });

  it('the tool', async () => {
    expect(await checkTool({ ...(await load<ToolModule<object>>('letters')), options: {} })).toEqual([]);
  });

  it('the reward, the algorithm and the format', async () => {
    const algorithm = await load<AlgorithmModule<unknown>>('plain-gradient');
    expect(await checkAlgorithm({ ...algorithm, options: await defaults('algorithm-options') })).toEqual([]);
    const reward = await load<RewardModule<unknown>>('share');
    expect(await checkReward({ ...reward, options: {} })).toEqual([]);
    const format = await load<FormatModule<unknown>>('bare');
    expect(await checkActionFormat({ ...format, options: {} }, { actions: ['0', '3'] })).toEqual([]);
  });

  it('the policy', async () => {
    const { create } = await load<{ create: (o: object, host: Host, context: PolicyContext) => Promise<PolicyModel> }>(
      'table',
    );
    const texts = ['at 0 at 1 at 2', '0 1 2'];
    const corpus = async function* () {
      yield* await Promise.resolve(texts);
    };
    const context = { corpus, preset: 'empty', valueHead: false, maxTokens: 1000 };
    const subject = { create: () => create({}, testHost(), context) };
    expect(await checkPolicyModel(subject, { actions: ['0', '1'], observations: ['at 0', 'at 1'] })).toEqual([]);
  });
});

describe('the first contract, beside the types of today', () => {
  const folder = join(repository, 'test', 'compatibility');
  const contract = readFileSync(join(folder, 'first-contract.d.ts'), 'utf8');
  // Careless changes seen from the other side: the first contract has less than the current one, or more.
  const changes: Record<string, [from: RegExp | string, to: string, says: RegExp]> = {
    'a member that today is required of environments': [/^ *act\(player: .*$/m, '', /act/],
    'a member of the host that today is gone': [
      /interface Host \{/,
      'interface Host { readonly clock: number;',
      /clock/,
    ],
    'a kind of contribution that today is unknown': [/['"]reward['"]/g, '"rewards"', /rewards/],
  };
  const changed = (what: string) => contract.replace(changes[what]![0], changes[what]![1]);
  const exchanged = readFileSync(join(folder, 'freely-exchanged.ts'), 'utf8');
  const sources = readdirSync(join(root, 'src'));
  let errors: Map<string, string[]>;
  beforeAll(() => {
    const contracts = [['first', contract], ...Object.keys(changes).map((what) => [what, changed(what)])];
    errors = typeErrors(
      new Map([
        ...contracts.flatMap(([name, text]): [string, string][] => [
          [`${name}/freely-exchanged.ts`, exchanged],
          [`${name}/first-contract.d.ts`, text ?? ''],
        ]),
        ...sources.map((name): [string, string] => [`plugin/${name}`, readFileSync(join(root, 'src', name), 'utf8')]),
      ]),
    );
  }, 60_000);

  it('is exchanged freely', () => {
    expect(errors.get('first/freely-exchanged.ts')).toEqual([]);
  });

  it.each(Object.entries(changes))('shows %s', (what, [, , says]) => {
    expect(changed(what)).not.toBe(contract);
    expect(errors.get(`${what}/freely-exchanged.ts`)?.join('\n')).toMatch(says);
  });

  it('has a plugin whose sources still compile', () => {
    expect(sources).toHaveLength(9);
    expect(sources.map((name) => errors.get(`plugin/${name}`))).toEqual(sources.map(() => []));
  });
});
