// node test/kill/kill-and-resume.js [--kills N] [--seed S] [--recipe FILE] [--project DIR] [--folder DIR]
// A run that is killed with SIGKILL at N random moments, and resumed each time, must end with the same logs (except
// wall-clock values) and the same weights, byte for byte, as an undisturbed run. It uses the plugins of the project.
// After a kill and at the end, no program of the project may still run. Exit codes: 0 the same, 1 a difference
// (printed), 2 a run that failed or left processes behind.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { compareRuns } from './compare-runs.js';
import { runCommand } from './command-process.js';
import { findProcessesBelow } from './find-processes.js';
import { seededRandom } from './seeded-random.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    recipe: { type: 'string', default: fileURLToPath(new URL('recipe.yaml', import.meta.url)) },
    project: { type: 'string' },
    folder: { type: 'string' },
  },
});
const recipe = resolve(values.recipe);
const project = values.project && resolve(values.project);
const kills = Number(values.kills);
const random = seededRandom(Number(values.seed));
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'agentgym-kill-'));
console.log(`${kills} kills, seed ${values.seed}, in ${folder}`);

const whole = join(folder, 'whole');
const undisturbed = await trainToTheEnd(whole);
console.log(
  `Left alone: ${seconds(undisturbed.milliseconds)}, of which ${seconds(undisturbed.startMilliseconds)} before the first step`,
);

let killed = 0;
let differences = [];
for (let round = 1; killed < kills || round === 1; round++) {
  const run = join(folder, `killed-${round}`);
  await killRepeatedly(run);
  const result = await trainToTheEnd(run);
  differences = [...compareRuns(whole, run), ...compareResults(undisturbed.document, result.document)];
  for (const difference of differences) console.error(`DIFFERENT: ${difference}`);
  if (differences.length > 0) break;
  console.log(`${run}: the same logs and the same weights after ${killed} kills in all`);
}
process.exitCode = differences.length > 0 ? 1 : 0;

/** Kills and resumes a run until it is complete or all kills are spent. The caller trains the rest. */
async function killRepeatedly(run) {
  const training = undisturbed.milliseconds - undisturbed.startMilliseconds;
  const wanted = kills - killed;
  for (let i = 0; i < wanted && status(run) !== 'completed'; i++) {
    // Long enough to pass the start every other time, short enough that the run outlives the kills.
    const delay = random() * (undisturbed.startMilliseconds + (2 * training) / Math.max(2, wanted));
    const { wasKilled, exitCode, stderr } = await runCommand(argumentsFor(run), delay, undefined, project);
    await expectNoProcesses();
    if (!wasKilled) {
      if (exitCode !== 0) fail(`resuming ${run} ended with ${exitCode}`, stderr);
      return;
    }
    killed++;
    console.log(`kill ${killed} after ${seconds(delay)}: ${whereItStood(run)}`);
  }
}

async function trainToTheEnd(run) {
  const outcome = await runCommand(argumentsFor(run), undefined, join(run, 'metrics.jsonl'), project);
  await expectNoProcesses();
  if (outcome.exitCode !== 0) fail(`training ${run} ended with ${outcome.exitCode}`, outcome.stderr);
  return { ...outcome, document: JSON.parse(outcome.stdout) };
}

/** A run exists as soon as its folder does. Before that, the same command starts it again. */
function argumentsFor(run) {
  return existsSync(run) ? ['train', '--resume', run] : ['train', recipe, '--output', run];
}

/** Child processes notice the end of a killed process and end soon, but not immediately. */
async function expectNoProcesses() {
  if (project === undefined) return;
  let left = [];
  for (let attempt = 0; attempt < 100; attempt++) {
    left = findProcessesBelow(project);
    if (left.length === 0) return;
    await sleep(20);
  }
  fail(`processes ${left.join(', ')} of ${project} still run`, '');
}

function status(run) {
  const manifest = join(run, 'manifest.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).status : undefined;
}

function whereItStood(run) {
  const metrics = join(run, 'metrics.jsonl');
  if (!existsSync(run)) return 'no folder yet';
  const lines = existsSync(metrics) ? readFileSync(metrics, 'utf8').split('\n').length - 1 : 0;
  const latest = join(run, 'checkpoints/latest.json');
  const checkpoint = existsSync(latest) ? JSON.parse(readFileSync(latest, 'utf8')).checkpoint : 'none';
  return `${lines} lines of metrics, latest checkpoint ${checkpoint}`;
}

/** The printed results must also agree, except the folder, the seconds and the memory. */
function compareResults(expected, found) {
  const plain = ({ stages, spent, ...document }) => {
    const timeless = { spent: { ...spent, seconds: 0 }, stages: stages.map((stage) => ({ ...stage, seconds: 0 })) };
    return JSON.stringify({ ...document, run: '', seconds: 0, peakBytes: 0, ...timeless }, null, 1).split('\n');
  };
  const [left, right] = [plain(expected), plain(found)];
  const at = left.findIndex((line, i) => line !== right[i]);
  return at === -1 ? [] : [`the printed result: "${left[at]?.trim()}" left alone, "${right[at]?.trim()}" killed`];
}

function fail(message, stderr) {
  console.error(`${message}\n${stderr}`);
  process.exit(2);
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
