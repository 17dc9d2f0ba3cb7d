// node test/kill/kill-ablation.js [--kills N] [--seed S] [--recipe FILE] [--steps N] [--folder DIR]
// An ablation that is killed with SIGKILL at N random moments, and started again each time, must give the same cells
// and numbers as an undisturbed one, and must not train complete runs again. Every other kill also ends the processes
// of the cells. Exit codes as in kill-and-resume.js.
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { runCommand } from './command-process.js';
import { compareRuns } from './compare-runs.js';
import { seededRandom } from './seeded-random.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    recipe: { type: 'string', default: fileURLToPath(new URL('recipe.yaml', import.meta.url)) },
    steps: { type: 'string', default: '20' },
    folder: { type: 'string' },
  },
});
const kills = Number(values.kills);
const random = seededRandom(Number(values.seed));
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'agentgym-kill-'));
console.log(`${kills} kills, seed ${values.seed}, in ${folder}`);

const grid = join(folder, 'grid.json');
writeFileSync(
  grid,
  JSON.stringify({
    ablationVersion: 1,
    name: 'kill',
    recipe: resolve(values.recipe),
    set: { 'stages.sft.steps': Number(values.steps), 'stages.rl.steps': Number(values.steps), 'stages.critic': null },
    seeds: 2,
    grid: { 'policy.sampling.maxActionTokens': [3, 4] },
  }),
);

const whole = join(folder, 'whole');
const undisturbed = await finish(whole);
console.log(`Left alone: ${(undisturbed.milliseconds / 1000).toFixed(1)} s`);
const killed = join(folder, 'killed');
/** Runs that were complete at some kill, with their manifests at that time. */
const complete = new Map();
for (let kill = 1; kill <= kills; kill++) {
  // Long enough that some runs are complete at the later kills: they must not be trained again.
  const delay = 500 + random() * Math.min(1, 5 / kills) * undisturbed.milliseconds;
  const { wasKilled, exitCode, stderr } = await runCommand(argumentsFor(killed), delay);
  if (!wasKilled && exitCode !== 0) fail(`the ablation ended with ${exitCode}`, stderr);
  if (kill % 2 === 0) killCells();
  for (const [run, manifest] of manifests(killed)) if (manifest.status === 'completed') complete.set(run, manifest);
  console.log(`kill ${kill} after ${(delay / 1000).toFixed(1)} s: ${complete.size} runs complete`);
}
const found = await finish(killed);

const differences = [
  ...compareResults(undisturbed.document, found.document),
  ...manifests(whole).flatMap(([run]) =>
    compareRuns(join(whole, run), join(killed, run)).map((one) => `${run}: ${one}`),
  ),
  ...[...complete].flatMap(([run, before]) => {
    const now = manifests(killed).find(([name]) => name === run)?.[1];
    return now?.sessions.length === before.sessions.length ? [] : [`${run} was complete, and was run again`];
  }),
];
for (const difference of differences) console.error(`DIFFERENT: ${difference}`);
if (differences.length === 0) console.log(`the same cells and numbers after ${kills} kills, and no run made twice`);
process.exitCode = differences.length > 0 ? 1 : 0;

function argumentsFor(output) {
  return ['ablate', grid, '--output', output, '--workers', '2'];
}

async function finish(output) {
  const outcome = await runCommand(argumentsFor(output));
  if (outcome.exitCode !== 0) fail(`the ablation ended with ${outcome.exitCode}`, outcome.stderr);
  return { ...outcome, document: JSON.parse(outcome.stdout) };
}

/** Kills the processes that train a cell: they have its folder among their arguments. */
function killCells() {
  for (const name of readdirSync('/proc')) {
    try {
      if (!/^\d+$/.test(name) || !readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${killed}/cells/`)) continue;
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // The process ended by itself.
    }
  }
}

function manifests(ablation) {
  const folders = (path) => (existsSync(path) ? readdirSync(path).sort() : []);
  const runs = folders(join(ablation, 'cells')).flatMap((cell) =>
    folders(join(ablation, 'cells', cell)).map((seed) => join('cells', cell, seed)),
  );
  return runs
    .map((run) => [run, join(ablation, run, 'manifest.json')])
    .filter(([, file]) => existsSync(file))
    .map(([run, file]) => [run, JSON.parse(readFileSync(file, 'utf8'))]);
}

/** Compares everything except folders and seconds. */
function compareResults(expected, found) {
  const plain = (document) => {
    const text = JSON.stringify(
      document,
      (key, value) => (['ablation', 'run', 'seconds'].includes(key) ? '' : value),
      1,
    );
    return text.split('\n');
  };
  const [left, right] = [plain(expected), plain(found)];
  const at = left.findIndex((line, index) => line !== right[index]);
  return at === -1 ? [] : [`the result: "${left[at]?.trim()}" left alone, "${right[at]?.trim()}" killed`];
}

function fail(message, stderr) {
  console.error(`${message}\n${stderr}`);
  process.exit(2);
}
