// Whole runs in several environments with real plugins and the tabular policy.
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { resolvedRecipeProblem } from '../config/resolved-recipe-problem.js';
import { acceptRecipe, resolveRecipe } from '../config/resolve-recipe.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { createRandom } from '../random/create-random.js';
import { compareGroups, groupBySettings } from '../reports/report-cells.js';
import { compareRuns } from '../reports/compare-runs.js';
import { comparisonBlocks } from '../reports/comparison-blocks.js';
import { runResultBlocks } from '../reports/result-blocks.js';
import { reportRun } from '../reports/report-run.js';
import { terminalLines } from '../reporting/terminal-blocks.js';
import { chooseCheckpoint } from '../runs/choose-checkpoint.js';
import { loadRun } from '../runs/load-run.js';
import { evaluatePolicy } from './evaluate-policy.js';
import { hostSettings, lines, newFolder, recipe, run, tabularHost, weights } from './fixtures/tabular-run.js';

const { environment: _, ...common } = recipe;

const environments = {
  far: { name: 'guess-number', options: { highest: 9, width: [4, 6] } },
  near: {
    name: 'guess-number',
    options: { highest: 9, width: [2, 3] },
    weight: 3,
    horizon: { schedule: 'fixed', turns: 4 },
    sampling: { temperature: 0.7 },
    reward: { terms: [{ name: 'sparse', weight: 2 }] },
  },
};

/** Enough imitation that groups have signal. */
const { rl } = recipe.stages;
const sft = { ...recipe.stages.sft, steps: 40, optimizer: { learningRate: 0.5 } };

const several = (changes: object = {}) => ({
  ...common,
  environment: undefined,
  environments,
  stages: { sft, rl },
  ...changes,
});
const metricsOf = (folder: string) => lines(folder, 'metrics.jsonl') as Record<string, number>[];
const rlOf = (folder: string) => metricsOf(folder).filter((line) => 'rollout/success' in line);

describe('a run in several environments', () => {
  it('plays each by its weight, and in its own way', async () => {
    const folder = newFolder();
    const { result } = await run(folder, { changes: several({ record: { episodes: 16 } }) });
    const steps = rlOf(folder);
    expect(steps).toHaveLength(7);
    for (const line of steps) {
      expect([line['rollout/far/groups'], line['rollout/near/groups']]).toEqual([1, 3]);
      expect([line['rollout/far/horizon'], line['rollout/near/horizon']]).toEqual([
        (line['step'] as number) <= 3 ? 2 : 3,
        4,
      ]);
      const mean = (line['rollout/far/success']! + 3 * line['rollout/near/success']!) / 4;
      expect(line['rollout/success']).toBeCloseTo(mean, 12);
      // The sampler's log probabilities and the trainer's are at the same temperature, which differs between the two.
      expect(line['train/logprob_gap'] ?? 0).toBeLessThan(1e-9);
    }
    expect(steps.some((line) => 'train/logprob_gap' in line)).toBe(true);
    const played = lines(folder, 'episodes/rl.jsonl') as CompletedEpisode[];
    expect(new Set(played.map(({ entry }) => entry))).toEqual(new Set(['far', 'near']));
    for (const { entry, success, return: reward } of played)
      expect(reward).toBe(Number(success) * (entry === 'near' ? 2 : 1));
    const drawn = lines(folder, 'tasks.jsonl') as { entry: string; tasks: string[] }[];
    expect(new Set(drawn.map(({ entry }) => entry))).toEqual(new Set(['far', 'near']));
    // One world twice: no task of it is held out in one and trained on in the other.
    expect(result.environments!['near']).toMatchObject({ trained: true });
  });

  it('is evaluated in each, and in all together', async () => {
    const folder = newFolder();
    const { result } = await run(folder, { changes: several() });
    const { far, near } = result.environments!;
    expect(Object.keys(result.environments!)).toEqual(['far', 'near']);
    for (const place of [0, 1]) {
      const [all, one, other] = [result, far!, near!].map(({ evaluations }) => evaluations[place]!);
      expect(all).not.toHaveProperty('environment');
      expect([one!.environment, other!.environment]).toEqual(['far', 'near']);
      expect(all!.success.episodes).toBe(one!.success.episodes + other!.success.episodes);
      const solved = one!.success.rate * one!.success.episodes + other!.success.rate * other!.success.episodes;
      expect(all!.success.rate * all!.success.episodes).toBeCloseTo(solved, 9);
    }
    expect(Object.keys(near!.baselines)).toEqual(['random', 'oracle', 'demonstrator']);
    expect(result.baselines.oracle!.success.rate).toBe(1);
    const evaluated = metricsOf(folder).findLast((line) => 'eval/t0/success' in line)!;
    expect(Object.keys(evaluated).filter((name) => /^eval\/.*success$/.test(name))).toEqual([
      ...['eval/t0/success', 'eval/far/t0/success', 'eval/near/t0/success'],
      ...['eval/t1/success', 'eval/far/t1/success', 'eval/near/t1/success'],
    ]);
    const kept = lines(folder, 'episodes/evaluation.final.jsonl') as CompletedEpisode[];
    expect(kept.map(({ entry }) => entry)).toEqual(['far', 'far', 'near', 'near']);
  });

  it('says where it was tested without training', async () => {
    const folder = newFolder();
    const transfer = { away: { name: 'guess-number', options: { highest: 15, width: [8, 9] } } };
    const evaluation = { ...recipe.evaluation, final: { ...recipe.evaluation.final, transfer } };
    await run(folder, { changes: several({ evaluation }) });
    const told = terminalLines(runResultBlocks(await loadRun(join(folder, 'run'))), { width: 100, colour: false });
    const headings = ['Success on far', 'Success on near', 'Success on away, without training in it'];
    expect(told.filter((line) => line.startsWith('Success on'))).toEqual(headings);
  });

  // Goes red when anything that an environment has of its own is not restored.
  it.each([{ interruptAt: 3 }, { interruptAt: 4 }, { interruptOn: 'final evaluation' }])(
    'ends the same, resumed after %o',
    async (interrupted) => {
      const curriculum = { name: 'band', options: { of: 'cluster' } };
      const [straight, broken] = [newFolder(), newFolder()];
      const { result } = await run(straight, { changes: several({ curriculum }) });
      expect((await run(broken, { changes: several({ curriculum }), ...interrupted })).result.status).toBe(
        'interrupted',
      );
      const second = await run(broken, { changes: several({ curriculum }), resume: true });
      expect(second.result.environments).toEqual(result.environments);
      expect(weights(broken)).toBe(weights(straight));
      for (const name of ['metrics.jsonl', 'evaluations.jsonl', 'tasks.jsonl', 'episodes/rl.jsonl']) {
        expect(lines(broken, name), name).toEqual(lines(straight, name));
      }
    },
  );

  it('learns from demonstrations of each, by weight or as many as are asked for', async () => {
    const counts = async (changes: object) => {
      const folder = newFolder();
      const taught = { ...sft, demonstrations: { count: 60, ...changes } };
      await run(folder, { changes: several({ stages: { sft: taught, rl } }) });
      const { demonstrations = {} } = (await loadRun(join(folder, 'run'))).manifest;
      return Object.entries(demonstrations).map(([name, { training }]) => [name, training.learned, training.file]);
    };
    expect(await counts({})).toEqual([
      ['sft.far', 15, 'demonstrations/sft.far.jsonl'],
      ['sft.near', 45, 'demonstrations/sft.near.jsonl'],
    ]);
    expect(await counts({ environments: { far: { count: 7, expert: 'oracle' } } })).toEqual([
      ['sft.far', 7, 'demonstrations/sft.far.jsonl'],
      ['sft.near', 53, 'demonstrations/sft.near.jsonl'],
    ]);
  });

  it('changes the weights of its environments during a stage', async () => {
    const folder = newFolder();
    const curriculum = { name: 'weights', options: { entries: ['near'], to: [0], over: 4 } };
    await run(folder, { changes: several({ curriculum, stages: { rl } }) });
    const groups = rlOf(folder).map((line) => [line['rollout/far/groups'], line['rollout/near/groups']]);
    expect(groups[0]).toEqual([1, 3]);
    expect(groups.at(-1)).toEqual([4, 0]);
    expect(rlOf(folder).at(-1)).not.toHaveProperty('rollout/near/success');
  });

  it('is evaluated again in each, and by the name of one', async () => {
    const folder = newFolder();
    await run(folder, { changes: several() });
    const host = await tabularHost();
    const request = {
      ...{ host, policy: join(folder, 'run'), options: {}, runsFolder: folder, episodesPerTask: 1, tasks: 12 },
      settings: hostSettings(folder, createRandom(1)),
    };
    const all = await evaluatePolicy(request);
    expect(Object.keys(all.environments!)).toEqual(['far', 'near']);
    const one = await evaluatePolicy({ ...request, environment: 'near' });
    expect(one).not.toHaveProperty('environments');
    expect(one.evaluation).toEqual(all.environments!['near']!.evaluation);
    const both = Object.values(all.environments!).map(({ evaluation }) => evaluation.success);
    expect(all.evaluation.success.episodes).toBe(both.reduce((sum, { episodes }) => sum + episodes, 0));
    expect(all.baselines.oracle).toMatchObject({ success: { rate: 1 } });
    await expect(evaluatePolicy({ ...request, environment: 'guess-number' })).rejects.toMatchObject({
      code: 'AG_COMMAND_USAGE',
      message: expect.stringContaining('several environments that are `guess-number`: far, near.') as string,
    });
  });

  it('keeps the checkpoint at which the number that is named was highest or lowest', async () => {
    const folder = newFolder();
    await run(folder, {
      changes: several({ checkpoint: { every: 3, keep: 99 }, evaluation: { ...recipe.evaluation, every: 3 } }),
    });
    const loaded = await loadRun(join(folder, 'run'));
    for (const metric of ['eval/t0/success', 'eval/near/t0/success', 'eval/far/t1/turns_mean']) {
      const values = loaded.metrics.flatMap(({ runStep, metrics }) =>
        metrics[metric] === undefined ? [] : [[runStep, metrics[metric]] as const],
      );
      for (const end of ['highest', 'lowest'] as const) {
        const { runStep, by } = await chooseCheckpoint(loaded, { end, metric });
        const extreme = (end === 'highest' ? Math.max : Math.min)(...values.map(([, value]) => value));
        expect(by).toEqual({ metric, value: extreme });
        expect(runStep).toBe(values.findLast(([, value]) => value === extreme)![0]);
      }
    }
    const [best, named] = await Promise.all([
      chooseCheckpoint(loaded, 'best'),
      chooseCheckpoint(loaded, { end: 'highest', metric: 'eval/t0/success' }),
    ]);
    expect(best).toEqual(named);
    await expect(chooseCheckpoint(loaded, { end: 'highest', metric: 'eval/neat/t0/success' })).rejects.toMatchObject({
      code: 'AG_CHECKPOINT_NOT_FOUND',
      hint: 'Did you mean `eval/near/t0/success`?',
    });
  });

  it('is compared in each environment that another run has too, also with a run of one', async () => {
    const [joint, alone, longer] = [newFolder(), newFolder(), newFolder()];
    const evaluation = { ...recipe.evaluation, horizon: 4 };
    await run(joint, { changes: several({ evaluation }) });
    await run(alone, { changes: { ...common, environment: environments.far, evaluation } });
    await run(longer, {
      changes: several({ evaluation, stages: { sft, rl: { ...rl, steps: 8 } } }),
    });
    const reported = await Promise.all(
      [joint, alone, longer].map(async (folder) => {
        const loaded = await loadRun(join(folder, 'run'));
        const report = reportRun(loaded, { episodes: [], recorded: 0, halfWritten: [] });
        return { loaded, report, halfWritten: [] };
      }),
    );
    const groups = groupBySettings(reported);
    expect(groups.map(({ cell }) => Object.keys(cell.environments!))).toEqual([
      ['far', 'near'],
      ['guess-number'],
      ['far', 'near'],
    ]);
    const compared = compareGroups(groups).map(({ environment = 'all', pairs }) => [environment, pairs]);
    expect(compared.map(([environment]) => environment)).toEqual(['all', 'far', 'far', 'near', 'far']);
    expect(compared[0]![1]).toMatch(/^2\d tasks$/);

    const folders = [joint, alone, longer].map((folder) => join(folder, 'run'));
    const listed = await compareRuns(folders, { measure: 'success', temperature: 0 });
    expect(listed.environments.map(({ environment, runs: means }) => [environment, Object.keys(means).length])).toEqual(
      [
        ['far', 3],
        ['near', 2],
      ],
    );
    const [far, near] = listed.environments;
    expect([far!.comparisons.length, near!.comparisons.length]).toEqual([3, 1]);
    const success = reported[0]!.loaded.result!.environments!['near']!.evaluations[0]!.success;
    expect(near!.runs[reported[0]!.loaded.manifest.id]!.mean).toBeCloseTo(success.rate, 12);
    const told = terminalLines(comparisonBlocks(listed), { width: 200, colour: false }).join('\n');
    expect(told).toMatch(/Success in each environment\n(.*\n)*far(.*\n)*near/);
    expect(told).toContain('Differences in each environment');
  });
});

describe('the recipe of several environments', () => {
  const resolved = async (changes: object, sets: readonly string[] = []) =>
    acceptRecipe(await resolveRecipe({ source: several(changes), sets, cwd: newFolder(), host: await tabularHost() }));
  const refused = (changes: object, message: RegExp, path?: string) =>
    expect(resolved(changes)).rejects.toMatchObject({
      message: expect.stringMatching(message) as string,
      ...(path !== undefined && { path }),
    });

  it('fills in the options of each, and gives each what the recipe has for all', async () => {
    const { plan, recipe: whole } = await resolved({});
    expect(whole.environments!['far']!.options).toMatchObject({ highest: 9, reply: 'interval' });
    expect(plan.entries.map(({ entry, evaluationHorizon, sampling, reward }) => [entry, evaluationHorizon, sampling.temperature, reward.terms[0]!.weight])).toEqual([
      ['far', 3, 1, 1],
      ['near', 4, 0.7, 2],
    ]); // prettier-ignore
    expect(plan.longestHorizon).toBe(4);
    const again = acceptRecipe(
      await resolveRecipe({ source: structuredClone(whole), cwd: newFolder(), host: await tabularHost() }),
    );
    expect(again.recipe).toEqual(whole);
  });

  it('can be changed by flags, which may also choose the short form', async () => {
    const { recipe: whole } = await resolved({}, ['environments.far.weight=2', 'environments.near=null']);
    expect(Object.entries(whole.environments!).map(([name, { weight }]) => [name, weight])).toEqual([['far', 2]]);
    const one = await resolved({}, ['environment.name=guess-number']);
    expect(one.recipe).not.toHaveProperty('environments');
  });

  it('refuses what contradicts itself', async () => {
    await refused({ environments: { ...environments, far: { ...environments.far, weight: 0 } } }, /weight/);
    await refused({ environments: { ...environments, far: { ...environments.far, weight: -1 } } }, /weight/);
    await refused({ environments: {} }, /`environments`/);
    await refused({ environments: { Reward: environments.far } }, /lower-case/);
    await refused({ environments: { reward: environments.far } }, /is taken/);
    await refused({ environment: environments.far }, /exclude each other/, 'environments');
    await refused({ environments: undefined }, /`environment` is missing/, 'environment');
    await refused({ environments: { ...environments, other: { name: 'maze' } } }, /`maze`/, 'environments.other.name');
    const unknown = { ...environments, far: { ...environments.far, options: { wdith: 3 } } };
    await refused({ environments: unknown }, /wdith/, 'environments.far.options.wdith');
    const cold = { ...environments, far: { ...environments.far, sampling: { temperature: 0 } } };
    await refused({ environments: cold }, /is 0, but/, 'environments.far.sampling.temperature');
  });

  it('refuses a curriculum that names none of them', async () => {
    const curriculum = { name: 'weights', options: { entries: ['nere'], to: [0] } };
    await expect(run(newFolder(), { changes: several({ curriculum }) })).rejects.toMatchObject({
      code: 'AG_CURRICULUM',
      path: 'curriculum',
      message: expect.stringContaining('`nere`, which is none of the environments: far, near') as string,
    });
  });

  // guess-number deals its splits among the widths of its options.
  it('refuses one world twice if a task is trained on in one and held out in the other', async () => {
    const near = { ...environments.near, options: { highest: 9, width: [3, 5] } };
    const folder = newFolder();
    await expect(run(folder, { changes: several({ environments: { ...environments, near } }) })).rejects.toMatchObject({
      code: 'AG_SPLIT_LEAK',
      hint: expect.stringContaining('`far` and `near` are one environment, `guess-number`') as string,
    });
    expect(lines.bind(null, folder, 'metrics.jsonl')).toThrow('ENOENT');
  });

  it('refuses keys without effect', async () => {
    const reward = { terms: [{ name: 'sparse' }] };
    const own = { ...environments, far: { ...environments.far, reward } };
    await refused({ environments: own, reward }, /`reward` has no effect with `environments.far.reward`/, 'reward');
    const workers = { ...environments, far: { ...environments.far, workers: 2 } };
    await refused({ environments: workers }, /has no effect without/, 'environments.far.workers');
    const demonstrations = { count: 9, environments: { tiny: { count: 1 } } };
    const taught = { ...sft, demonstrations };
    await refused(
      { stages: { sft: taught, rl } },
      /names none of the `environments`/,
      'stages.sft.demonstrations.environments.tiny',
    );
    const evaluation = { ...recipe.evaluation, final: { tasks: 20, transfer: { away: { options: {} } } } };
    await refused({ evaluation }, /is missing; the recipe has several/, 'evaluation.final.transfer.away.name');
  });

  it('wants a horizon for all, unless each environment or each rl stage has its own', async () => {
    const turns = (number: number) => ({ schedule: 'fixed', turns: number });
    const own = { far: { ...environments.far, horizon: turns(6) }, near: { ...environments.near, horizon: turns(4) } };
    const { plan, recipe: whole } = await resolved({ environments: own, horizon: undefined });
    expect(whole).not.toHaveProperty('horizon');
    expect(plan.entries.map(({ evaluationHorizon }) => evaluationHorizon)).toEqual([6, 4]);
    expect(resolvedRecipeProblem(whole, ['recipe'])).toBeUndefined();
    await refused({ environments, horizon: undefined }, /`horizon` is missing/, 'horizon');
    const { horizon: _, ...far } = whole.environments!['far']!;
    const lacking = { ...whole, environments: { ...whole.environments, far } };
    expect(resolvedRecipeProblem(lacking, ['recipe'])).toBe('`recipe.horizon` is missing');
    const because = /`horizon` has no effect with `environments.far.horizon` and `environments.near.horizon`/;
    await refused({ environments: own, horizon: turns(3) }, because, 'horizon');
    const stages = { sft, rl: { ...rl, horizon: turns(5) } };
    const short = await resolved({ environments: { far: environments.far }, horizon: undefined, stages });
    expect(short.plan.entries[0].evaluationHorizon).toBe(5);
    const replaced = { environments: { far: environments.far }, horizon: turns(3), stages };
    await refused(replaced, /`horizon` has no effect with `stages.rl.horizon`/, 'horizon');
  });

  it('ends a stage by the number of one environment', async () => {
    const stopWhen = [{ metric: 'eval/near/t0/turns_mean', above: 0 }];
    const folder = newFolder();
    const { result } = await run(folder, {
      changes: several({ stages: { rl: { ...rl, stopWhen } } }),
    });
    expect(result.stages[0]!.steps).toBe(3);
    const wrong = [{ metric: 'eval/naer/t0/success', above: 0 }];
    await refused({ stages: { rl: { ...rl, stopWhen: wrong } } }, /no evaluation measures it/);
  });
});
