// `npm run bench -- memory [--only TEXT] [--models FOLDER] [--json FILE]`: trains the built-in recipes for a few steps, and
// recipes of other models and options. Prints the memory that the closed form allows them at most, the memory that a
// micro-batch before the first step lets expect, and the measured peak. The exit code is 1 if the closed form is below a
// peak, or above twice the peak of a built-in recipe.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { makeRandomModel } from '../models/random-model.js';
import { chosen } from '../sides/options.js';
import { casesOf, smallModelRecipe } from './cases.js';
import { measurePeak } from './measure-peak.js';
import { builtInRecipes } from './recipes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = join(root, 'bin/run.js');

function agentgym(args, cwd) {
  const { stdout, stderr } = spawnSync(process.execPath, [bin, ...args, '--json'], { cwd, encoding: 'utf8' });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`agentgym ${args.join(' ')} printed no document: ${stderr.slice(-500)}`);
  }
}

/** A folder of a small model: the checkpoint of a short run. */
function makeSmallModel(folder) {
  const recipe = join(folder, 'small.json');
  writeFileSync(recipe, JSON.stringify(smallModelRecipe()));
  const { run } = agentgym(['train', recipe, '--output', join(folder, 'small')], folder);
  agentgym(['export', run, '--to', join(folder, 'small-model')], folder);
  return join(folder, 'small-model');
}

async function makeLargeModels(folder) {
  const [large, half] = [join(folder, 'two-layers'), join(folder, 'half-a-billion')];
  await makeRandomModel(large, 2);
  await makeRandomModel(half, 24);
  return { large, half };
}

/** Built-in recipes first. Each has the arguments of `train`, and the other recipes have a text. */
export async function allCases(folder, models) {
  const builtIn = Object.entries(builtInRecipes).map(([name, settings]) => ({
    name,
    isBuiltIn: true,
    args: [join(root, 'recipes', `${name}.yaml`), ...settings.flatMap((setting) => ['--set', setting])],
  }));
  const large = models === undefined ? {} : await makeLargeModels(models);
  const others = casesOf({ small: makeSmallModel(folder), ...large }).map(({ name, recipe }) => ({
    ...{ name, isBuiltIn: false, args: ['recipe.json'], recipe },
  }));
  return [...builtIn, ...others];
}

/** Trains, and returns the bytes: at `most`, `expected` and the `peak`. */
export async function measureCase({ name, isBuiltIn = false, args = ['recipe.json'], recipe }, folder) {
  const cwd = mkdtempSync(join(folder, 'case-'));
  try {
    if (recipe !== undefined) writeFileSync(join(cwd, 'recipe.json'), JSON.stringify(recipe));
    const train = [bin, 'train', ...args, '--no-memory-check', '--output', 'run'];
    const { code, output, peak } = await measurePeak(train, { cwd });
    if (code !== 0) throw new Error(`${name}: train ended with ${code}: ${output.slice(-500)}`);
    const { memory } = JSON.parse(readFileSync(join(cwd, 'run/manifest.json'), 'utf8'));
    return { name, isBuiltIn, most: memory.mostBytes, expected: memory.expectedBytes ?? null, peak };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

function line({ name, most, expected, peak }) {
  const megabytes = (bytes) => (bytes === null ? '-' : `${Math.round(bytes / 1e6)} MB`).padStart(9);
  const ratio = (bytes) => (bytes === null ? '-' : (bytes / peak).toFixed(2)).padStart(6);
  return `${megabytes(most)} ${megabytes(expected)} ${megabytes(peak)} ${ratio(most)} ${ratio(expected)}  ${name}`;
}

/** Prints a line for each recipe. Returns the exit code. */
export async function measure(args) {
  const { values } = parseArgs({
    args,
    options: { only: { type: 'string', default: '' }, models: { type: 'string' }, json: { type: 'string' } },
  });
  if (!existsSync('/proc/self/smaps_rollup')) {
    console.log('skipped: only Linux tells how much memory a process and its children use');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-memory-'));
  const results = [];
  try {
    console.log('  at most  expected      peak  most/peak, expected/peak');
    for (const each of chosen(await allCases(folder, values.models), values.only)) {
      const result = await measureCase(each, folder);
      console.log(line(result));
      results.push(result);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
  const holds = ({ isBuiltIn, most, peak }) => most >= peak && (!isBuiltIn || most <= 2 * peak);
  return results.every(holds) ? 0 : 1;
}
