// `npm run bench -- memory [--only TEXT] [--models FOLDER] [--json FILE]`: trains short recipes, and prints the memory that
// `agentgym doctor --recipe` predicts beside the peak that was measured. A ratio outside 0.85 to 1.15 gives the exit code 1.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { makeRandomModel } from '../models/random-model.js';
import { chosen } from '../sides/options.js';
import { casesOf, smallModelRecipe } from './cases.js';
import { measurePeak } from './measure-peak.js';

const TOLERANCE = 0.15;
const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

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

async function measureCase({ name, recipe }, folder) {
  const cwd = mkdtempSync(join(folder, 'case-'));
  writeFileSync(join(cwd, 'recipe.json'), JSON.stringify(recipe));
  const { memory } = agentgym(['doctor', '--recipe', 'recipe.json'], cwd);
  const { code, output, peak } = await measurePeak([bin, 'train', 'recipe.json', '--no-memory-check'], { cwd });
  rmSync(cwd, { recursive: true });
  if (code !== 0) throw new Error(`${name}: train ended with ${code}: ${output.slice(-500)}`);
  return { name, predicted: memory.needed, measured: peak, ratio: memory.needed / peak, parts: memory.parts };
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
    const small = makeSmallModel(folder);
    const large = values.models === undefined ? {} : await makeLargeModels(values.models);
    const cases = chosen(casesOf({ small, ...large }), values.only);
    console.log('predicted  measured  ratio');
    for (const each of cases) {
      const result = await measureCase(each, folder);
      const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`.padStart(9);
      console.log(
        `${megabytes(result.predicted)} ${megabytes(result.measured)}   ${result.ratio.toFixed(2)}  ${result.name}`,
      );
      results.push(result);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
  return results.some(({ ratio }) => Math.abs(ratio - 1) > TOLERANCE) ? 1 : 0;
}
