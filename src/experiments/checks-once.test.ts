// Counts how often a start of training and a check of a recipe call each function that checks something, as the profiler of
// V8 sees it.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { builtInHost } from './fixtures/built-in-host.js';
import { planTraining, type PlannedTraining } from './start-training.js';

const profiler = new Session();
beforeAll(async () => {
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});
afterAll(() => profiler.disconnect());

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
/** Calls since the last time, by name. */
async function counts(): Promise<{ readonly [name: string]: number }> {
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  const own = result
    .filter(({ url }) => /src\/(config|experiments|runs)\//.test(url))
    .flatMap(({ functions }) => functions);
  const callsOf = (name: string) =>
    own.reduce((sum, { functionName, ranges }) => sum + (functionName === name ? (ranges[0]?.count ?? 0) : 0), 0);
  return Object.fromEntries([...ofTheRecipe, ...ofTheParts].map((name) => [name, callsOf(name)]));
}
const once = (names: readonly string[]) =>
  Object.fromEntries([...ofTheRecipe, ...ofTheParts].map((name) => [name, names.includes(name) ? 1 : 0]));

// Goes red when a start looks at the same thing twice, or not at all.
it('makes each check once: of a recipe, at a start, and at a resume', { timeout: 60_000 }, async () => {
  await counts();
  await (await plan('recipe.yaml')).check();
  expect(await counts()).toEqual(once([...ofTheRecipe, ...ofTheParts]));
  await (await plan('recipe.yaml')).run(() => undefined);
  expect(await counts()).toEqual(once([...ofTheRecipe, ...ofTheParts]));
  // A run keeps the recipe that was checked when it began.
  await (await plan()).check();
  expect(await counts()).toEqual(once(['checkPins', ...ofTheParts]));
});
