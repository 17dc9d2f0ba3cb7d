// Counts how often a start of training and a check of a recipe call each function that checks something.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it, vi } from 'vitest';

import { builtInHost } from './fixtures/built-in-host.js';
import { planTraining, type PlannedTraining } from './start-training.js';

const calls = vi.hoisted(() => new Map<string, number>());

/** The module with functions that count their calls. */
const counting = vi.hoisted(() => async (original: () => Promise<Record<string, unknown>>) => {
  const module = await original();
  const counted = Object.entries(module).map(([name, member]) => {
    if (typeof member !== 'function' || /^[A-Z]/.test(name)) return [name, member];
    const work = member as (...args: unknown[]) => unknown;
    const wrapped = (...args: unknown[]): unknown => {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return work(...args);
    };
    return [name, wrapped];
  });
  return Object.fromEntries(counted) as Record<string, unknown>;
});

vi.mock('../config/check-consistency.js', counting);
vi.mock('../config/check-optimizers.js', counting);
vi.mock('../config/check-pins.js', counting);
vi.mock('../config/check-recipe-contributions.js', counting);
vi.mock('../config/check-structure.js', counting);
vi.mock('../config/refuse-secrets.js', counting);
vi.mock('../runs/split-proof.js', counting);
vi.mock('./check-parts.js', counting);
vi.mock('./check-rewards.js', counting);
vi.mock('./inexact-reasons.js', counting);
vi.mock('./judge-memory.js', counting);
vi.mock('./write-prompt.js', counting);

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentgym-checks-once-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const recipe = `recipeVersion: 1
name: tiny
exact: true
plugins: { '@agentgym/plugin-algo-grpo': '*' }
environment: { name: guess-number }
policy: { preset: pico }
algorithm: { name: grpo, groupSize: 2 }
horizon: { schedule: fixed, turns: 4 }
stages:
  sft: { kind: sft, demonstrations: { count: 20 }, batchSize: 8, steps: 1 }
  rl: { kind: rl, tasksPerStep: 2, steps: 1 }
evaluation: { every: 0, final: { tasks: 2 } }
`;

async function plan(source?: string): Promise<PlannedTraining> {
  writeFileSync(join(folder, 'recipe.yaml'), recipe);
  const log = { info: () => undefined, warn: () => undefined };
  return planTraining({
    ...(source === undefined ? { resume: join(folder, 'run') } : { source, output: join(folder, 'run') }),
    ...{ sets: [], cwd: folder, runsFolder: join(folder, 'runs'), host: await builtInHost(), version: '0.1.0' },
    settings: { log, signal: new AbortController().signal, cacheDirectory: join(folder, 'cache') },
  });
}

/** Checks that a start makes, each once. The recipe has one stage of each kind. */
const ofTheRecipe = [
  'checkConsistency',
  'checkOptimizers',
  'checkPins',
  'checkRecipeContributions',
  'checkStructure',
  'judgeRewards',
  'refuseSecrets',
];
const ofTheParts = [
  'checkPolicy',
  'checkSplits',
  'checkStageNeeds',
  'checkStates',
  'judgeMemory',
  'proveSplits',
  'refuseInexact',
];
const counts = () => Object.fromEntries([...ofTheRecipe, ...ofTheParts].map((name) => [name, calls.get(name) ?? 0]));
const once = (names: readonly string[]) =>
  Object.fromEntries([...ofTheRecipe, ...ofTheParts].map((name) => [name, names.includes(name) ? 1 : 0]));

// Goes red when a start looks at the same thing twice, or not at all.
it('makes each check once: of a recipe, at a start, and at a resume', { timeout: 60_000 }, async () => {
  await (await plan('recipe.yaml')).check();
  expect(counts()).toEqual(once([...ofTheRecipe, ...ofTheParts]));
  calls.clear();
  await (await plan('recipe.yaml')).run(() => undefined);
  expect(counts()).toEqual(once([...ofTheRecipe, ...ofTheParts]));
  calls.clear();
  // A run keeps the recipe that was checked when it began.
  await (await plan()).check();
  expect(counts()).toEqual(once(['checkPins', ...ofTheParts]));
});
