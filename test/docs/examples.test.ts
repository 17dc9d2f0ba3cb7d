// The example of the guide on environments is code: the conformance kit finds nothing in it, and an agent learns in it.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { CompletedEpisode } from '@agentgym/cli';
import { environmentKit, optionDefaults } from '@agentgym/cli/testing';
import ts from 'typescript';
import { expect, it } from 'vitest';

import contributions from '../../docs/guides/examples/lamp/index.js';
import * as lamp from '../../docs/guides/examples/lamp/lamp.js';
import { options } from '../../docs/guides/examples/lamp/options.js';
import marketContributions from '../../docs/guides/examples/market/index.js';
import * as market from '../../docs/guides/examples/market/market.js';
import questionContributions from '../../docs/guides/examples/questions/index.js';
import { options as questionOptions } from '../../docs/guides/examples/questions/options.js';
import * as questions from '../../docs/guides/examples/questions/questions.js';
import workshopContributions from '../../docs/guides/examples/workshop/index.js';
import * as workshop from '../../docs/guides/examples/workshop/workshop.js';
import { openSandbox } from '../../src/sandbox/open-sandbox.js';
import { repository } from '../architecture/source-files.js';
import { runWarm } from '../cli/warm-cli.js';
import { longIt } from '../long.js';
import { typeErrors } from '../types/type-errors.js';
import { codeBlocks, noteOf } from './code-blocks.js';

const examples = join(repository, 'docs/guides/examples');
const guide = codeBlocks('docs/guides/writing-an-environment.md');

const without = await openSandbox({}, new AbortController().signal).then(
  (sandbox) => sandbox.close().then(() => false),
  () => process.env['CI'] === undefined,
);

it('the kit finds nothing in the environment', async () => {
  const subject = { ...lamp, options: optionDefaults(options), contribution: contributions[0]! };
  expect(await environmentKit.check(subject)).toEqual([]);
});

it('the kit finds nothing in the environment of a data set, of the length that its guide says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-questions-'));
  execFileSync(process.execPath, [join(examples, 'questions/rows.mjs')], { cwd: folder });
  const settings = { ...optionDefaults(questionOptions), files: join(folder, 'data') };
  const subject = { ...questions, options: settings, contribution: questionContributions[0]! };
  expect(await environmentKit.check(subject)).toEqual([]);
  rmSync(folder, { recursive: true });
  const lines = readFileSync(join(examples, 'questions/questions.ts'), 'utf8').trimEnd().split('\n').length;
  expect(lines).toBeLessThan(60);
  expect(readFileSync(join(repository, 'docs/guides/data-sets.md'), 'utf8')).toContain(`has ${lines} lines`);
});

it.skipIf(without).each([
  ['market', market, marketContributions, {}],
  // Each of its episodes opens a sandbox.
  ['workshop', workshop, workshopContributions, { tasks: 1, malformed: 20 }],
])('the kit finds nothing in the %s of the guide on tools', { timeout: 120_000 }, async (_, module, [one], some) => {
  expect(await environmentKit.check({ ...module, options: {}, contribution: one! }, some)).toEqual([]);
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
longIt('reinforcement learning teaches an agent something there', { timeout: 600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-lamp-'));
  mkdirSync(join(folder, 'dist'));
  for (const name of readdirSync(join(examples, 'lamp')).filter((file) => !file.endsWith('.test.ts'))) {
    const text = ts.transpile(readFileSync(join(examples, 'lamp', name), 'utf8'), {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
    });
    writeFileSync(join(folder, 'dist', name.replace(/\.ts$/, '.js')), text);
  }
  const plugin = { name: 'env-lamp', version: '1.0.0', type: 'module', files: ['dist'], oclif: {} };
  const agentgym = { apiVersion: 1, plugin: './dist/index.js' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...plugin, agentgym }));
  writeFileSync(join(folder, 'lamp.yaml'), guide.find((block) => noteOf(block, 'file') === 'recipe.yaml')?.text ?? '');
  const settings = ['policy.options.threads=1', 'evaluation.every=60'];
  const sets = settings.flatMap((setting) => ['--set', setting]);
  const { code, stdout, stderr } = await runWarm(['train', 'lamp.yaml', '--json', ...sets], { cwd: folder });
  expect(code, stderr).toBe(0);
  const { starts, evaluations } = JSON.parse(stdout) as { starts: readonly Outcome[]; evaluations: readonly Outcome[] };
  const rate = (outcomes: readonly Outcome[]) => outcomes.find(({ temperature }) => temperature === 1)!.success.rate;
  expect(rate(evaluations)).toBeGreaterThan(rate(starts) + 0.2);
  rmSync(folder, { recursive: true });
});

// Goes red when the curriculum or the recipe of the guides is no longer one that agentgym runs.
it('a curriculum of the guide hands out tasks in the environments of the guide', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-worlds-'));
  mkdirSync(join(folder, 'dist'));
  const [curriculum] = codeBlocks('docs/guides/curricula.md').filter(({ language }) => language === 'ts');
  const several = codeBlocks('docs/guides/several-environments.md');
  const recipe = several.find((block) => noteOf(block, 'file') === 'worlds.yaml')!.text;
  const [programLines, recipeLines] = [curriculum!.text, recipe].map((text) => text.trimEnd().split('\n').length);
  expect(Math.max(programLines!, recipeLines!)).toBeLessThan(80);
  const program = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  writeFileSync(join(folder, 'dist/index.js'), ts.transpile(curriculum!.text, program));
  const plugin = { name: 'plugin-hardest', version: '1.0.0', type: 'module', files: ['dist'], oclif: {} };
  const agentgym = { apiVersion: 1, plugin: './dist/index.js' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...plugin, agentgym }));
  writeFileSync(join(folder, 'worlds.yaml'), recipe);
  const settings = [
    ...['policy.options.threads=1', 'curriculum.name=hardest', 'stages.sft.steps=20', 'stages.rl.steps=6'],
    ...['stages.sft.demonstrations.count=200', 'evaluation.every=0', 'evaluation.final.tasks=10'],
    ...['stages.sft.optimizer.warmup=2', 'checkpoint.every=2', 'evaluation.before={tasks: 0}'],
  ];
  const unused = ['evaluation.tasks=null'];
  const sets = [...settings, ...unused].flatMap((setting) => ['--set', setting]);
  const { code, stderr } = await runWarm(['train', 'worlds.yaml', '--output', 'run', ...sets], { cwd: folder });
  expect(code, stderr).toBe(0);
  const lines = readFileSync(join(folder, 'run/metrics.jsonl'), 'utf8').trimEnd().split('\n');
  const steps = lines.map((line) => JSON.parse(line) as Record<string, number | string>);
  for (const step of steps.filter(({ stage }) => stage === 'rl')) {
    expect(['near', 'far', 'craft'].map((name) => step[`rollout/${name}/groups`])).toEqual([8, 8, 8]);
    expect(step['train/optimizer_steps']).toBeGreaterThan(0);
  }
  const result = JSON.parse(readFileSync(join(folder, 'run/result.json'), 'utf8')) as { environments: object };
  expect(Object.keys(result.environments)).toEqual(['near', 'far', 'craft']);
  rmSync(folder, { recursive: true });
});

const toolsGuide = codeBlocks('docs/guides/tools.md').filter((block) => noteOf(block, 'file') === 'recipe.yaml');
// Goes red when calls of a world's tools, or a sandbox that a tool and a grader share, can no longer be trained on.
it.each([
  ['market', 2],
  ['workshop', 1],
] as const)('an agent is trained to call the tools of the guide: %s', { timeout: 300_000 }, async (name, calls) => {
  if (name === 'workshop' && without) return;
  const [marketRecipe, workshopRecipe] = toolsGuide;
  const folder = mkdtempSync(join(tmpdir(), `agentgym-${name}-`));
  mkdirSync(join(folder, 'dist'));
  for (const file of readdirSync(join(examples, name)).filter((one) => one.endsWith('.ts'))) {
    const text = readFileSync(join(examples, name, file), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThan(80);
    const program = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
    writeFileSync(join(folder, 'dist', file.replace(/\.ts$/, '.js')), ts.transpile(text, program));
  }
  execFileSync(process.execPath, [join(examples, name, 'games.mjs')], { cwd: folder });
  const plugin = { name: `env-${name}`, version: '1.0.0', type: 'module', files: ['dist'], oclif: {} };
  const agentgym = { apiVersion: 1, plugin: './dist/index.js' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...plugin, agentgym }));
  writeFileSync(join(folder, 'recipe.yaml'), (name === 'market' ? marketRecipe : workshopRecipe)!.text);
  const settings = [
    ...['policy.options.threads=1', 'stages.rl.steps=2', 'stages.rl.tasksPerStep=2', 'algorithm.groupSize=4'],
    ...['evaluation.every=2', 'evaluation.tasks=4', 'evaluation.final.tasks=8', 'evaluation.before={tasks: 0}'],
  ];
  const sets = settings.flatMap((setting) => ['--set', setting]);
  const { code, stderr } = await runWarm(['train', 'recipe.yaml', '--output', 'run', ...sets], { cwd: folder });
  expect(code, stderr).toBe(0);
  const episodes = readFileSync(join(folder, 'run/episodes/rl.jsonl'), 'utf8').trimEnd().split('\n');
  const read = episodes.map((line) => JSON.parse(line) as CompletedEpisode);
  expect(Math.max(...read.flatMap(({ turns }) => turns.map((turn) => turn.calls?.length ?? 0)))).toBe(calls);
  if (name === 'workshop') expect(read[0]!.sandbox).toMatch(/^bubblewrap-/);
  const metrics = readFileSync(join(folder, 'run/metrics.jsonl'), 'utf8').trimEnd().split('\n');
  const last = JSON.parse(metrics.at(-1)!) as Record<string, number>;
  expect(last['cost/tool_calls']).toBeGreaterThan(8);
  expect(last['rollout/tool_calls']).toBeGreaterThan(0);
  expect(JSON.parse(readFileSync(join(folder, 'run/result.json'), 'utf8'))).toMatchObject({
    spent: { toolCalls: last['cost/tool_calls'] },
  });
  rmSync(folder, { recursive: true });
});

// Goes red when a judge of the guide is no longer one that agentgym asks, or when what it says is not trained on.
it('a judge of the guide, in fewer than 80 lines, is trained on', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-judge-'));
  const files = codeBlocks('docs/guides/judges.md').flatMap((block) => {
    const name = noteOf(block, 'file');
    return name === undefined ? [] : [[name, block.text] as const];
  });
  const own = new Map(files);
  const judge = own.get('index.js')!;
  expect(judge.trimEnd().split('\n').length).toBeLessThan(80);
  expect(typeErrors(new Map([['index.js', judge]])).get('index.js')).toEqual([]);
  const port = await freePort();
  for (const [name, text] of files) writeFileSync(join(folder, name), text.replaceAll('8471', String(port)));
  const program = spawn(process.execPath, ['program.js', String(port)], { cwd: folder, stdio: 'ignore' });
  try {
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '["a"]' }).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true);
    const settings = [
      ...['policy.options.threads=1', 'stages.sft.steps=20', 'stages.sft.optimizer.warmup=2', 'stages.rl.steps=6'],
      ...[
        'stages.sft.demonstrations.count=200',
        'evaluation.every=0',
        'evaluation.final.tasks=10',
        'stages.rl.tasksPerStep=4',
      ],
      ...[
        'evaluation.before={tasks: 0}',
        'evaluation.tasks=null',
        'evaluation.split=null',
        'evaluation.temperatures=null',
      ],
    ];
    const sets = settings.flatMap((setting) => ['--set', setting]);
    const { code, stderr } = await runWarm(['train', 'fresh.yaml', '--output', 'run', ...sets], { cwd: folder });
    expect(code, stderr).toBe(0);
    const lines = readFileSync(join(folder, 'run/episodes/rl.jsonl'), 'utf8').trimEnd().split('\n');
    const episodes = lines.map((line) => JSON.parse(line) as RecordedEpisode);
    expect(episodes.length).toBeGreaterThan(100);
    for (const { turns, verdicts } of episodes) {
      const share = new Set(turns.map(({ text }) => text)).size / turns.length;
      expect(turns.at(-1)!.components['fresh-words']).toBeCloseTo(share / 2, 12);
      expect(verdicts[0]).toMatchObject({ judge: 'fresh-words', score: share / 2 });
    }
    const metrics = readFileSync(join(folder, 'run/metrics.jsonl'), 'utf8').trimEnd().split('\n');
    const steps = metrics.map((line) => JSON.parse(line) as Record<string, number | string>);
    for (const step of steps.filter(({ stage }) => stage === 'rl'))
      expect(step['train/optimizer_steps']).toBeGreaterThan(0);
  } finally {
    program.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface RecordedEpisode {
  readonly turns: readonly { readonly text: string; readonly components: Readonly<Record<string, number>> }[];
  readonly verdicts: readonly object[];
}

// Goes red when the world or the limits of the guide are no longer what agentgym plays.
it(
  'the world of the guide on long observations is trained in, and its artifacts are kept',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-settings-'));
    mkdirSync(join(folder, 'dist'));
    const [world] = codeBlocks('docs/guides/long-observations.md').filter(({ language }) => language === 'ts');
    expect(world!.text.trimEnd().split('\n').length).toBeLessThan(80);
    const program = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
    writeFileSync(join(folder, 'dist/index.js'), ts.transpile(world!.text, program));
    const plugin = { name: 'plugin-settings', version: '1.0.0', type: 'module', files: ['dist'], oclif: {} };
    const agentgym = { apiVersion: 1, plugin: './dist/index.js' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...plugin, agentgym }));
    const recipe = {
      recipeVersion: 1,
      name: 'settings',
      environment: { name: 'settings', observationTokens: 120 },
      policy: { name: 'transformer', preset: 'pico', sampling: { maxActionTokens: 4 }, options: { threads: 1 } },
      algorithm: { name: 'grpo', groupSize: 4 },
      horizon: { schedule: 'fixed', turns: 1 },
      stages: {
        sft: { kind: 'sft', demonstrations: { expert: 'oracle', count: 60 }, batchSize: 20, steps: 15 },
        rl: { kind: 'rl', tasksPerStep: 4, steps: 3 },
      },
      evaluation: { every: 0, final: { tasks: 4 } },
      record: { episodes: 8 },
    };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(recipe));
    const { code, stderr } = await runWarm(['train', 'settings.json', '--output', 'run'], { cwd: folder });
    expect(code, stderr).toBe(0);
    const text = readFileSync(join(folder, 'run/episodes/evaluation.final.jsonl'), 'utf8');
    const played = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CompletedEpisode);
    for (const { artifacts, turns, sequences } of played) {
      expect(turns[0]!.observation).toMatch(/^setting1 =.*\n\[cut: \d+ of \d+ tokens left out\]\n.*setting200 =.*$/s);
      expect(sequences![0]!.tokens.length).toBeLessThan(200);
      const [file, patch] = artifacts!.map(({ sha256 }) =>
        readFileSync(join(folder, 'run/artifacts', sha256!), 'utf8'),
      );
      expect(file!.split('\n')).toHaveLength(201);
      if (turns[0]!.facts.invalid) expect(artifacts).toHaveLength(1);
      else
        expect(patch).toMatch(
          /^--- settings.txt\n\+\+\+ settings.txt\n@@ -(1|200) \+\1 @@\n-setting\1 =.*\n\+setting\1 = \d\n$/,
        );
    }
    const report = await runWarm(['report', 'run', '--output', 'page.html'], { cwd: folder });
    expect(report.code, report.stderr).toBe(0);
    expect(readFileSync(join(folder, 'page.html'), 'utf8')).toContain('"content":"');
    const { preset: _, ...policy } = recipe.policy;
    writeFileSync(join(folder, 'from.json'), JSON.stringify({ ...recipe, policy: { ...policy, from: './run' } }));
    // A tokenizer that is built from the demonstrations is not known to `--check`.
    for (const words of [
      ['settings.json', '--output', 'short'],
      ['from.json', '--check'],
    ]) {
      const wrong = ['train', ...words, '--json', '--set', 'environment.observationTokens=3'];
      const refused = await runWarm(wrong, { cwd: folder });
      expect(refused.code).toBe(2);
      expect(JSON.parse(refused.stdout)).toMatchObject({
        error: { code: 'AG_RECIPE_INVALID', path: 'environment.observationTokens' },
      });
    }
    expect(readdirSync(folder)).not.toContain('short');
    rmSync(folder, { recursive: true });
  },
);

interface Outcome {
  readonly temperature: number;
  readonly success: { readonly rate: number };
}
