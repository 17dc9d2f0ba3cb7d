// Requests become cells with checked recipes, with the real plugins. Nothing is trained.
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { planRun } from '../config/run-plan.js';
import type { Json } from '../contracts/json.js';
import type { OptionsDeclaration } from '../contracts/options.js';
import type { ContributionKind } from '../contracts/plugin.js';
import type { AgentgymError } from '../errors/agentgym-error.js';
import { openPluginHost, type PluginHost } from '../plugins/open-plugin-host.js';
import { readPluginSource } from '../plugins/plugin-source.js';
import { testHost } from '../testing/test-host.js';
import { planAblation, type AblationRequest, type PlannedAblation } from './plan-ablation.js';

const plugins = resolve(import.meta.dirname, '../../plugins');
let host: PluginHost;
beforeAll(async () => {
  host = openPluginHost(await Promise.all(readdirSync(plugins).map((name) => readPluginSource(join(plugins, name)))));
});

const folder = mkdtempSync(join(tmpdir(), 'agentgym-ablation-'));

/** The same plugins, as if no option of an environment were an axis. */
function withoutAxes(): PluginHost {
  const find = async (kind: ContributionKind, name: string) => {
    const located = await host.find(kind, name);
    if (kind !== 'environment') return located;
    const options = Object.entries(located.contribution.options).map(([key, option]) => [
      key,
      { ...option, axis: false },
    ]);
    const contribution = { ...located.contribution, options: Object.fromEntries(options) as OptionsDeclaration };
    return { ...located, contribution };
  };
  return { ...host, find: find as PluginHost['find'] };
}

function plan(what: string, more: Partial<AblationRequest> = {}): Promise<PlannedAblation> {
  return planAblation({
    what,
    recipe: 'quickstart',
    sets: [],
    cwd: folder,
    runsFolder: 'runs',
    host,
    settings: testHost(),
    yes: false,
    ...more,
  });
}

function planFile(
  keys: { readonly [key: string]: Json },
  more: Partial<AblationRequest> = {},
): Promise<PlannedAblation> {
  const file = join(folder, 'grid.json');
  writeFileSync(file, JSON.stringify({ ablationVersion: 1, name: 'grid', recipe: 'quickstart', ...keys }));
  const { recipe: _, ...rest } = {
    recipe: undefined,
    sets: [],
    cwd: folder,
    runsFolder: 'runs',
    host,
    settings: testHost(),
    yes: false,
    ...more,
  };
  return planAblation({ what: file, ...rest });
}

async function complaint(planned: Promise<unknown>): Promise<AgentgymError> {
  const error = (await planned.catch((thrown: unknown) => thrown)) as AgentgymError;
  expect(error).toMatchObject({ name: 'AgentgymError', exitCode: 2 });
  return error;
}

const idsOf = ({ cells }: PlannedAblation): string[] => cells.map(({ id }) => id);

describe('planAblation', () => {
  it('tries sparse, balanced and dense rewards', async () => {
    const planned = await plan('sparsity');
    expect(idsOf(planned)).toEqual(['sparse', 'balanced', 'dense']);
    expect(planned.cells.map(({ recipe }) => recipe.reward.terms.map(({ name }) => name))).toEqual([
      ['sparse'],
      ['balanced'],
      ['dense'],
    ]);
    expect(planned.plan.reference).toBe('sparse');
    expect(planned.seeds).toEqual([1, 2, 3]);
    expect(planned.folder).toMatch(/^runs\/ablations\/sparsity-quickstart-[0-9a-f]{8}$/);
  });

  // Goes red when cells are not checked against the bounds of their rewards: each would then fail when its run begins.
  it('lets go of a leave for inverted rewards in cells that need none, and refuses cells that lack it', async () => {
    const cost = {
      'reward.terms': [
        { name: 'sparse', weight: 1 },
        { name: 'cost', weight: 1, options: { turn: 1 } },
      ],
    };
    const cells = { plain: {}, dear: cost };
    const { cells: settled } = await planFile({ cells, set: { 'reward.allowInversion': true } });
    expect(settled.map(({ recipe }) => recipe.reward.allowInversion)).toEqual([false, true]);
    expect(settled[0].notes.join()).toContain('`reward.allowInversion` has no effect');
    expect(settled[1]?.notes).toEqual([]);
    const { code, message } = await complaint(planFile({ cells }));
    expect(code).toBe('AG_REWARD_INVERSION');
    expect(message).toMatch(/^Cell dear: .* a failure can score/);
  });

  // Goes red when such a key counts as the cell's own: it is then removed from the cell again and again.
  it('refuses a cell in which a key of its recipe has no effect, and names the key', async () => {
    const recipe = join(folder, 'rooms.json');
    const rooms = { environment: { name: 'alfworld', options: { rooms: ['kitchen'] } } };
    writeFileSync(recipe, JSON.stringify({ recipeVersion: 1, extends: 'quickstart', name: 'rooms', ...rooms }));
    const games = { game: 'files', games: folder, scenes: 20 };
    const cells = { house: { 'environment.options': games } };
    const { code, message, path } = await complaint(planFile({ recipe, cells }));
    expect(code).toBe('AG_RECIPE_IDLE_SETTING');
    expect(path).toBe('environment.options.rooms');
    expect(message).toContain('rooms has no effect with game: files');
    const named = { house: { 'environment.options': { ...games, rooms: null } } };
    const { cells: planned } = await planFile({ recipe, cells: named });
    expect(planned[0].notes.join()).toContain('scenes has no effect with game: files');
  });

  it('takes the ablation of a built-in recipe by its name', async () => {
    const { plan: asked, cells, seeds } = await plan('scaling-inter', { recipe: undefined });
    expect(asked.axis).toBe('grid');
    expect(cells.map(({ id }) => id)).toEqual(['fixed-short', 'fixed-long', 'scaling-inter']);
    expect(seeds.length).toBeGreaterThanOrEqual(5);
    expect((await complaint(plan('quickstart'))).code).toBe('AG_ABLATION_NOT_FOUND');
    expect((await complaint(plan('scaling-intr'))).hint).toBe('Did you mean `agentgym ablate scaling-inter`?');
  });

  it('evaluates all cells on the same tasks and trains each by one thread, unless somebody said otherwise', async () => {
    const [cell] = (await plan('sparsity')).cells;
    expect(cell.recipe.evaluation.seed).toBe(1);
    expect(cell.recipe.policy.options['threads']).toBe(1);
    const sets = ['evaluation.seed=7', 'policy.options.threads=2'];
    const [other] = (await plan('sparsity', { sets })).cells;
    expect(other.recipe.evaluation.seed).toBe(7);
    expect(other.recipe.policy.options['threads']).toBe(2);
  });

  // Goes red when a share of the budget is not spent, or spent twice.
  it('gives every split of a budget the same units', async () => {
    const { cells } = await plan('budget');
    const units = 10 * 1000 + 250 * 32 * 16;
    for (const [index, { recipe }] of cells.entries()) {
      const share = index / 5;
      const { sft, rl } = recipe.stages;
      expect(recipe.budget?.units).toBe(units);
      expect(recipe.budget?.split?.['sft']).toBeCloseTo(share, 9);
      if (sft?.kind !== 'sft' || rl?.kind !== 'rl') throw new Error('quickstart has two stages');
      // The units limit the demonstrations. A count would be another limit, and every cell would build a different
      // tokenizer.
      expect(sft.demonstrations.count).toBeUndefined();
      const seen = (sft.steps * sft.batchSize) / Math.floor((share * units) / 10 + 1e-9);
      if (share > 0) expect(seen).toBeCloseTo((80 * 64) / 1000, 1);
      if (share < 1) expect(rl.steps).toBe(Math.ceil(((1 - share) * units) / 512 - 1e-9));
    }
  });

  it('evaluates every horizon at the longest', async () => {
    const { cells, plan: asked } = await plan('horizon');
    expect(cells.map(({ id }) => id)).toEqual(['fixed-short', 'fixed-long', 'linear', 'scaling-inter']);
    expect(cells.map(({ recipe }) => recipe.evaluation.horizon)).toEqual([5, 5, 5, 5]);
    expect(asked.reference).toBe('fixed-long');
    const given = await plan('horizon', { values: [2, { schedule: 'scaling-inter', turns: [2, 7], every: 10 }] });
    expect(given.cells.map(({ recipe }) => recipe.evaluation.horizon)).toEqual([7, 7]);
  });

  it('gives algorithms what the recipe chose and they know, and the correction for steps that are off-policy', async () => {
    const { cells } = await plan('algorithm', { values: ['grpo', 'rloo', 'ppo'] });
    const [grpo, rloo, ppo] = cells.map(({ recipe }) => recipe.algorithm);
    expect(grpo?.options).toMatchObject({ clipHigh: 0.28, entropyCoefficient: 0.02 });
    expect(ppo?.options).toMatchObject({ clipHigh: 0.28, entropyCoefficient: 0.02 });
    expect(rloo).toMatchObject({
      groupSize: 16,
      minibatches: 4,
      // With four optimizer steps on a batch, algorithms that can correct for the later steps do so.
      options: { importance: 'clipped', clipHigh: 0.28, entropyCoefficient: 0.02 },
    });
    expect(cells.map(({ notes }) => notes)).toEqual([[], [], []]);
    // A flag that no cell overrides applies to every cell, even if cells set other keys next to it.
    const twice = await plan('algorithm', { values: ['grpo', 'rloo'], sets: ['algorithm.epochs=2'] });
    expect(twice.cells.map(({ recipe }) => recipe.algorithm?.epochs)).toEqual([2, 2]);
    await expect(plan('algorithm', { values: ['grpo'], sets: ['algorithm.options.clipHigh=0.3'] })).rejects.toThrow(
      /has no effect, because the cell grpo sets it/,
    );
  });

  it('varies what the environment calls complexity, one option at a time, and the presets next to the own', async () => {
    expect(idsOf(await plan('complexity'))).toEqual(['recipe', 'width-10-15', 'width-40-50', 'reply-direction']);
    expect(idsOf(await plan('complexity', { values: [{ turns: [4, 6] }] }))).toEqual(['recipe', 'turns-4', 'turns-6']);
    const { plan: asked, cells } = await plan('model');
    expect(cells.some(({ id }) => id === asked.reference)).toBe(true);
  });

  describe('transfer', () => {
    const widths = [[8, 12], [20, 31]]; // prettier-ignore

    it('trains on each level of one option and tests on all, the own one among them', async () => {
      const { plan: asked, cells } = await plan('transfer');
      expect(cells.map(({ id }) => id)).toEqual(['width-10-15', 'width-20-31', 'width-40-50']);
      expect(asked).toMatchObject({ reference: 'width-20-31', tests: cells.map(({ id }) => id) });
      for (const { recipe } of cells) {
        const { transfer } = recipe.evaluation.final;
        expect(Object.keys(transfer!)).toEqual(asked.tests);
        expect(transfer!['width-40-50']).toEqual({
          name: 'guess-number',
          options: { ...recipe.environment!.options, width: [40, 50] },
        });
      }
      expect(cells.map(({ recipe }) => planRun(recipe).transfer.filter(({ sameAs }) => sameAs).map(({ entry }) => entry))).toEqual(
        cells.map(({ id }) => [id]),
      ); // prettier-ignore
      expect(asked.question).toBe('How well does training on one width of guess-number transfer to the others?');
    });

    it('takes given levels with the own one, and several options one at a time', async () => {
      const given = await plan('transfer', { values: [{ width: [[8, 12], [40, 45]] }] }); // prettier-ignore
      expect(idsOf(given)).toEqual(['width-20-31', 'width-8-12', 'width-40-45']);
      const several = await plan('transfer', { values: [{ width: widths, reply: ['direction'] }] });
      expect(idsOf(several)).toEqual(['recipe', 'width-8-12', 'reply-direction']);
      expect(several.plan.reference).toBe('recipe');
      expect(several.cells[1]?.recipe.evaluation.final.transfer?.['reply-direction']?.options).toMatchObject({
        width: [20, 31],
        reply: 'direction',
      });
      // Unset is a level like any other: the value of the trained row must not remain in it.
      const turns = await plan('transfer', { values: [{ turns: [4] }] });
      expect(idsOf(turns)).toEqual(['recipe', 'turns-4']);
      expect(turns.cells[1]?.recipe.evaluation.final.transfer?.['recipe']?.options['turns']).toBeNull();
    });

    it.each<[string, () => Promise<unknown>, RegExp]>([
      ['one level', () => plan('transfer', { values: [{ width: [[20, 31]] }] }), /only one level, width-20-31/],
      ['an option that is no axis', () => plan('transfer', { values: [{ highest: [9] }] }), /`highest` is not an axis/],
      ['a level that does not fit', () => plan('transfer', { values: [{ width: [[60, 70]] }] }), /width-60-70: an interval of 70/],
      ['a level of another type', () => plan('transfer', { values: [{ width: [3] }] }), /width-3: `width` is 3/],
      ['an environment without an axis', () => plan('transfer', { host: withoutAxes() }), /no option that is an axis/],
      ['a recipe that chooses itself', () => plan('transfer', { sets: ['evaluation.final.transfer={a: {}}'] }), /chooses its own/],
      ['levels that deal tasks differently', () => plan('transfer', { values: [{ width: [[18, 25]] }] }), /tasks of the test split of .* are training tasks of/],
    ])('refuses %s', async (_, ask, message) => {
      expect(await complaint(ask())).toMatchObject({ code: 'AG_ABLATION_AXIS', message: expect.stringMatching(message) as string });
    }); // prettier-ignore

    it('lets a file vary and share the key', async () => {
      const key = 'evaluation.final.transfer';
      const other = { other: { options: { reply: 'direction' } } };
      const { cells, plan: asked } = await planFile({ cells: { a: {}, b: { [key]: other } } });
      expect(cells.map(({ recipe }) => Object.keys(recipe.evaluation.final.transfer ?? {}))).toEqual([[], ['other']]);
      expect(asked.tests).toBeUndefined();
      const shared = await planFile({ set: { [key]: other }, grid: { 'environment.options.reply': ['interval', 'direction'] } });
      expect(shared.cells.map(({ recipe }) => planRun(recipe).transfer[0]?.sameAs !== undefined)).toEqual([false, true]);
    }); // prettier-ignore
  });

  it('tests cells of a file on the environments of all of them, each at its own horizon', async () => {
    const cells = {
      narrow: { 'environment.options.width': [10, 15], 'horizon.turns': 4 },
      wide: { 'environment.options.width': [40, 50], 'horizon.turns': 7 },
    }; // prettier-ignore
    const { plan: asked, cells: resolved } = await planFile({ transfer: true, cells, reference: 'wide' });
    expect(asked).toMatchObject({ tests: ['narrow', 'wide'], reference: 'wide' });
    for (const { id, recipe } of resolved) {
      const tested = planRun(recipe).transfer;
      expect(
        tested.map(({ entry, evaluationHorizon, sameAs }) => [entry, evaluationHorizon, sameAs !== undefined]),
      ).toEqual([
        ['narrow', 4, id === 'narrow'],
        ['wide', 7, id === 'wide'],
      ]);
      expect(tested.map(({ environment }) => environment.options['width'])).toEqual([[10, 15], [40, 50]]); // prettier-ignore
    }
    const same = { ...cells, again: { ...cells.wide, 'stages.rl.steps': 7 } };
    expect((await complaint(planFile({ transfer: true, cells: same }))).message).toMatch(
      /wide and again have the same/,
    );
    const idle = await complaint(planFile({ transfer: true, cells, compare: 'all' }));
    expect(idle.code).toBe('AG_RECIPE_IDLE_SETTING');
  });

  it('reads grids, and finds the folder again whatever the seeds are', async () => {
    const grid = { 'algorithm.groupSize': [8, 16], 'stages.rl.steps': [100, 200] };
    const planned = await planFile({ grid, seeds: [4, 9], set: { 'record.episodes': 0 } });
    expect(planned.cells).toHaveLength(4);
    expect(planned.seeds).toEqual([4, 9]);
    expect(planned.cells[3]?.recipe).toMatchObject({ record: { episodes: 0 }, algorithm: { groupSize: 16 } });
    expect((await planFile({ grid, set: { 'record.episodes': 0 } }, { seeds: 5 })).folder).toBe(planned.folder);
    expect((await planFile({ grid })).folder).not.toBe(planned.folder);
  });

  it.each<[string, () => Promise<unknown>, string, RegExp]>([
    ['an axis that is none', () => plan('sparsty'), 'AG_ABLATION_NOT_FOUND', /no axis and no ablation `sparsty`/],
    ['a file that is none', () => plan('./none.yaml'), 'AG_ABLATION_NOT_FOUND', /no ablation file/],
    ['a key that is none', () => planFile({ grid: { 'algorithm.groupSiez': [1, 2] } }), 'AG_RECIPE_UNKNOWN_KEY', /groupSiez/],
    ['no cells', () => planFile({}), 'AG_RECIPE_INVALID', /`grid` and `cells` are both missing/],
    ['lists of different lengths', () => planFile({ design: 'paired', grid: { seed: [1], name: ['a', 'b'] } }), 'AG_RECIPE_INVALID', /one length/],
    ['a sample of all', () => planFile({ sample: 2, grid: { seed: [1] } }), 'AG_RECIPE_IDLE_SETTING', /`sample` has no effect/],
    ['the same cell twice', () => planFile({ cells: { a: {}, b: { 'record.episodes': 32 } } }), 'AG_ABLATION_GRID', /a and b have the same recipe/],
    ['cells that differ in their seeds', () => planFile({ grid: { seed: [1, 2] } }), 'AG_ABLATION_GRID', /have the same recipe/],
    ['a reference that is no cell', () => planFile({ reference: 'c', cells: { a: {} } }), 'AG_ABLATION_GRID', /c, which is not a cell/],
    ['a flag that cells override', () => plan('horizon', { sets: ['horizon.turns=3'] }), 'AG_RECIPE_IDLE_SETTING', /because the cell fixed-short sets it/],
    ['values beside a file', () => planFile({ cells: { a: {} } }, { values: [1] }), 'AG_COMMAND_USAGE', /`--values` has no effect/],
    ['horizons of environments with their own', () => plan('horizon', { sets: ['environment=null', 'environments.a={name: guess-number, horizon: {schedule: fixed, turns: 3}}', 'environments.b={name: guess-number}'] }), 'AG_ABLATION_AXIS', /`a` has its own horizon/],
    ['a share above 1', () => plan('budget', { values: [1.5] }), 'AG_ABLATION_AXIS', /1.5 is not a share/],
    ['an option that is no axis', () => plan('complexity', { values: [{ highest: [9] }] }), 'AG_ABLATION_AXIS', /`highest` is not an axis/],
    ['a scheme that is none', () => plan('sparsity', { values: ['sparse', 'dnse'] }), 'AG_CONTRIBUTION_UNKNOWN', /Cell dnse/],
  ])('refuses %s', async (_, ask, code, message) => {
    const error = await complaint(ask());
    expect([error.code, ...(error.findings ?? []).map((one) => one.code)]).toContain(code);
    expect(error.message).toMatch(message);
  }); // prettier-ignore

  // Goes red when a grid is expanded before its size is known.
  it('refuses a grid of a billion cells without being told to, at once', async () => {
    const values = Array.from({ length: 1000 }, (_, index) => index + 1);
    const grid = { 'stages.rl.steps': values, 'algorithm.groupSize': values, 'stages.rl.tasksPerStep': values };
    expect((await complaint(planFile({ grid }))).message).toContain('1000000000 cells');
    expect(await planFile({ grid, design: 'random', sample: 2 })).toHaveProperty('cells.length', 2);
  });
});
