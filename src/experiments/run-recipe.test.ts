// A whole run with real plugins and the tabular policy: what holds here holds without an engine.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

import { resolveRecipe } from '../config/resolve-recipe.js';
import type { RunEvent } from '../contracts/events.js';
import type { PolicyContribution } from '../contracts/plugin.js';
import { openPluginHost, type LocatedContribution, type PluginHost } from '../plugins/open-plugin-host.js';
import { readPluginSource } from '../plugins/plugin-source.js';
import { createRandom } from '../random/create-random.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { loadRun } from './load-run.js';
import { runRecipe } from './run-recipe.js';
import type { RunResult } from './run-result.js';

const plugins = resolve(import.meta.dirname, '../../plugins');

/** Built plugins, with the tabular policy in the place of a transformer. */
async function tabularHost(): Promise<PluginHost> {
  const names = ['env-guess-number', 'reward-standard', 'format-standard', 'algo-grpo'];
  const host = openPluginHost(await Promise.all(names.map((name) => readPluginSource(join(plugins, name)))));
  const contribution: PolicyContribution = {
    kind: 'policy',
    name: 'tabular',
    summary: 'A table',
    presets: [{ name: 'table', summary: 'The one there is' }],
    options: {},
    load: () =>
      Promise.resolve({
        create: (_options, _host, context) => TabularPolicy.fromContext({ contextLength: 3 }, context),
      }),
  };
  const located: LocatedContribution<'policy'> = {
    kind: 'policy',
    name: 'tabular',
    package: 'test',
    version: '0.0.0',
    entry: 'file:///test.js',
    contribution,
  };
  return {
    ...host,
    find: ((kind, name) =>
      kind === 'policy' && name === 'tabular' ? Promise.resolve(located) : host.find(kind, name)) as PluginHost['find'],
    load: ((item: LocatedContribution) =>
      item.package === 'test' ? contribution.load() : host.load(item)) as PluginHost['load'],
  };
}

const recipe = {
  recipeVersion: 1,
  name: 'tiny',
  environment: { name: 'guess-number', options: { highest: 9, width: [4, 6] } },
  policy: { name: 'tabular', sampling: { maxActionTokens: 3 } },
  algorithm: { name: 'grpo', groupSize: 4, minibatches: 2, options: { klCoefficient: 0.01 } },
  horizon: { schedule: 'scaling-inter', turns: [2, 3], every: 3 },
  stages: {
    sft: { kind: 'sft', demonstrations: { count: 60 }, steps: 6, batchSize: 10, optimizer: { learningRate: 0.1 } },
    rl: { kind: 'rl', tasksPerStep: 4, steps: 7, optimizer: { learningRate: 0.05, schedule: 'linear' } },
  },
  evaluation: { every: 3, tasks: 10, temperatures: [0, 1], final: { tasks: 20 } },
  checkpoint: { every: 2, keep: 2 },
  record: { episodes: 3 },
};

interface Going {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
}

/** Runs the recipe; `interruptAt` aborts when that step of the rl stage is told of. */
async function run(
  folder: string,
  settings: { readonly resume?: boolean; readonly interruptAt?: number; readonly changes?: object } = {},
): Promise<Going> {
  const host = await tabularHost();
  const resolved = await resolveRecipe({ source: { ...recipe, ...settings.changes }, cwd: folder, host });
  const controller = new AbortController();
  const events: RunEvent[] = [];
  const output = join(folder, 'run');
  const result = await runRecipe({
    recipe: resolved.recipe,
    host,
    settings: {
      random: createRandom(resolved.recipe.seed),
      log: { info: () => undefined, warn: () => undefined },
      signal: controller.signal,
      cacheDirectory: folder,
    },
    ...(settings.resume === true ? { resume: output } : { output }),
    runsFolder: folder,
    sourceFolder: folder,
    versions: {},
    listener: (event) => {
      events.push(event);
      if (event.type === 'step' && event.stage === 'rl' && event.step === settings.interruptAt) controller.abort();
    },
  });
  return { result, events };
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'agentgym-recipe-'));

/** The lines of a log without what the clock had a say in. */
function lines(folder: string, name: string): unknown[] {
  const text = readFileSync(join(folder, 'run', name), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line, (key, value: unknown) => (key.startsWith('time/') ? undefined : value)));
}

/** Digest of the last checkpoint's weights. */
function weights(folder: string): string {
  const checkpoints = join(folder, 'run', 'checkpoints');
  const { checkpoint } = JSON.parse(readFileSync(join(checkpoints, 'latest.json'), 'utf8')) as { checkpoint: string };
  return createHash('sha256')
    .update(readFileSync(join(checkpoints, checkpoint, 'tabular-policy.json')))
    .digest('hex');
}

describe('runRecipe', () => {
  it('trains, evaluates and writes a run that says all there is to know', async () => {
    const folder = newFolder();
    const { result, events } = await run(folder);

    expect(result).toMatchObject({
      status: 'completed',
      stages: [
        { name: 'sft', steps: 6 },
        { name: 'rl', steps: 7 },
      ],
    });
    expect(result.evaluation).toMatchObject({ split: 'test', temperature: 0 });
    expect(result.evaluations.map(({ temperature }) => temperature)).toEqual([0, 1]);
    expect(result.starts.map(({ temperature }) => temperature)).toEqual([0, 1]);
    expect(result.baselines.start).toEqual(result.starts[0]);
    expect(Object.keys(result.baselines).sort()).toEqual(['demonstrator', 'oracle', 'random', 'start']);
    expect(result.baselines.oracle?.success.rate).toBe(1);
    expect(result.stages[1]?.evaluation).toMatchObject({ split: 'validation', temperature: 0 });

    const { manifest, metrics, evaluations, status } = await loadRun(join(folder, 'run'));
    expect(status).toBe('completed');
    expect(manifest.splits?.overlap).toMatchObject({ trainAndValidation: 0, trainAndTest: 0, validationAndTest: 0 });
    expect(manifest.plugins.map(({ kind }) => kind)).toContain('policy');
    expect(metrics.map(({ stage, step }) => `${stage} ${step}`)).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((step) => `sft ${step}`),
      ...[1, 2, 3, 4, 5, 6, 7].map((step) => `rl ${step}`),
    ]);
    // Milestones of three turns at most: the oracle solves every task, the random player does not.
    const { bounds, density } = manifest.reward!;
    expect(bounds).toEqual({ success: [1, 1], failure: [0, 0] });
    expect(density.oracle?.stepsPerReward).toBeGreaterThanOrEqual(1);
    expect(density.oracle?.stepsPerReward).toBeLessThan(3);
    expect(density.random!.rewardsPerTurn).toBeLessThan(density.oracle!.rewardsPerTurn);
    expect(metrics.at(-1)?.metrics).toHaveProperty(['rollout/rewards_per_turn']);
    // ScalingInter: two turns for three steps, then three.
    expect(metrics.slice(6).map((line) => line.metrics['rollout/horizon'])).toEqual([2, 2, 2, 3, 3, 3, 3]);
    expect(evaluations.filter(({ player }) => player === 'start')).toHaveLength(2);
    expect(existsSync(join(folder, 'run', 'episodes', 'rl.jsonl'))).toBe(true);
    expect(readdirSync(join(folder, 'run', 'checkpoints'))).toContain('rl-start');
    expect(events.filter(({ type }) => type === 'stage-started')).toHaveLength(2);
  });

  // Mutations: leave `policy.load` out of openRun, or hand the stage no progress in train: both turn it red.
  it('ends the same, bit for bit, when it was interrupted and resumed', async () => {
    const [straight, broken] = [newFolder(), newFolder()];
    await run(straight);
    const first = await run(broken, { interruptAt: 5 });
    expect(first.result).toMatchObject({ status: 'interrupted', evaluation: null });
    const second = await run(broken, { resume: true });
    expect(second.result.status).toBe('completed');

    for (const name of ['metrics.jsonl', 'evaluations.jsonl', 'episodes/rl.jsonl', 'episodes/evaluation.start.jsonl']) {
      expect(lines(broken, name), name).toEqual(lines(straight, name));
    }
    expect(weights(broken)).toBe(weights(straight));
  });

  // Mutation: measure anew on every start; the second session finds no reward to keep and writes another.
  it('describes the reward of a run once, each stage that has its own, and the same for the same seed', async () => {
    const stages = { ...recipe.stages, rl: { ...recipe.stages.rl, reward: { terms: [{ name: 'dense' }] } } };
    const [straight, broken] = [newFolder(), newFolder()];
    const described = async (folder: string) => (await loadRun(join(folder, 'run'))).manifest.reward;
    await run(straight, { changes: { stages } });
    const reward = await described(straight);
    expect(reward?.stages?.['rl']?.bounds).toEqual({ success: [1.5, 1.5], failure: [0, 0.5] });
    expect(reward?.stages?.['rl']?.density.oracle!.rewardsPerTurn).toBeGreaterThan(
      reward!.density.oracle!.rewardsPerTurn,
    );

    await run(broken, { interruptAt: 3, changes: { stages } });
    expect(await described(broken)).toEqual(reward);
    const file = join(broken, 'run', 'manifest.json');
    const marked = { ...reward, bounds: { success: [7, 7], failure: [0, 0] } };
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), reward: marked }));
    await run(broken, { resume: true, changes: { stages } });
    expect(await described(broken)).toEqual(marked);
  });

  it('has nothing to do where a run is complete', async () => {
    const folder = newFolder();
    const { result } = await run(folder);
    const before = lines(folder, 'evaluations.jsonl');
    const again = await run(folder, { resume: true });
    expect(again.result).toEqual(JSON.parse(JSON.stringify(result)));
    expect(again.events.map(({ type }) => type)).toEqual(['activity']);
    expect(lines(folder, 'evaluations.jsonl')).toEqual(before);
  });

  it('needs no evaluation on the way', async () => {
    const folder = newFolder();
    const { result } = await run(folder, { changes: { evaluation: { every: 0, final: { tasks: 20 } } } });
    expect(result).toMatchObject({ status: 'completed', stages: [{ name: 'sft' }, { name: 'rl' }] });
    expect(result.stages[1]).not.toHaveProperty('evaluation');
  });

  it('refuses an output folder that exists, and writes nothing', async () => {
    const folder = newFolder();
    await run(folder);
    const before = readdirSync(folder);
    await expect(run(folder)).rejects.toMatchObject({ code: 'AG_OUTPUT_EXISTS' });
    expect(readdirSync(folder)).toEqual(before);
  });
});
