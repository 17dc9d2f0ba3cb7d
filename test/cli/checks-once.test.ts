// Counts how often a check of a recipe, a start of training and a resume call each function that checks something, as V8 sees it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { runCli } from './run-cli.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentgym-checks-once-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, 'recipe.yaml'),
  `recipeVersion: 1
name: tiny
exact: true
plugins: { '@agentgym/plugin-algo-grpo': '*' }
environment: { name: guess-number }
policy: { preset: pico }
algorithm: { name: grpo, groupSize: 2 }
horizon: { schedule: fixed, turns: 4 }
stages:
  sft: { kind: sft, demonstrations: { count: 20 }, batchSize: 8, steps: 2 }
  rl: { kind: rl, tasksPerStep: 2, steps: 2 }
evaluation: { every: 0, final: { tasks: 2 } }
stopAfter: { seconds: 0.001 }
`,
);

/** Checks of the recipe. It has one stage of each kind. */
const ofTheRecipe = [
  'checkConsistency',
  'checkOptimizers',
  'checkPins',
  'checkRecipeContributions',
  'checkStructure',
  'checkRewards',
  'refuseSecrets',
];
/** Checks of what it names. */
const ofTheParts = ['checkPolicy', 'checkSplits', 'checkStageNeeds', 'checkStates', 'judgeMemory', 'refuseInexact'];
const all = [...ofTheRecipe, ...ofTheParts, 'proveSplits'];
const times = (names: readonly string[], splits: number) =>
  Object.fromEntries(all.map((name) => [name, name === 'proveSplits' ? splits : Number(names.includes(name))]));

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** Calls of each of these functions in the process of a command. */
async function callsIn(name: string, ...words: string[]): Promise<Record<string, number>> {
  const coverage = join(folder, `coverage-${name}`);
  mkdirSync(coverage);
  const ended = await runCli(['train', ...words], { cwd: folder, environment: { NODE_V8_COVERAGE: coverage } });
  expect(ended.code, ended.stderr).toBe(0);
  const functions = readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as Coverage;
    return result.filter(({ url }) => /\/dist\/(config|experiments|runs)\//.test(url)).flatMap((one) => one.functions);
  });
  const calls = (wanted: string) =>
    functions.reduce((sum, { functionName, ranges }) => sum + (functionName === wanted ? ranges[0]!.count : 0), 0);
  return Object.fromEntries(all.map((wanted) => [wanted, calls(wanted)]));
}

// Goes red when a start looks at the same thing twice, or not at all.
it('makes each check once: of a recipe, at a start, and at a resume', async () => {
  expect(await callsIn('check', 'recipe.yaml', '--check')).toEqual(times([...ofTheRecipe, ...ofTheParts], 1));
  // At its end, a session proves the splits with what it drew.
  const run = ['recipe.yaml', '--output', 'run'];
  expect(await callsIn('start', ...run)).toEqual(times([...ofTheRecipe, ...ofTheParts], 2));
  // A run keeps the recipe that was checked when it began.
  expect(await callsIn('resume', '--resume', 'run')).toEqual(times(['checkPins', ...ofTheParts], 2));
});
