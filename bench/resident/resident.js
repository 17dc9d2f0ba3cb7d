// Trains on a text world for an hour and watches the resident memory of the process with its children.
//   npm run bench -- resident [--minutes N] [--recipe FILE] [--engine NAME] [--json FILE]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { memoryOf } from '../memory/measure-peak.js';
import { keepResults } from '../sides/keep-results.js';

const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url));
const textWorld = fileURLToPath(new URL('../../recipes/practitioners-guide/small-model.yaml', import.meta.url));
/** Minutes in which the run reads its games, makes its sessions and fills its caches. */
const settling = 5;
/** Minutes of a row. */
const period = 5;
const tolerance = 0.05;
/** More than are done. The tasks of all steps are compared with the held-out ones first, so a million take long. */
const stepsOfMinute = 200;
/** Evaluations and checkpoints belong to a run. */
const settings = ['evaluation.every=200', 'evaluation.split=validation', 'evaluation.tasks=100'];

/** Trains for these minutes and looks at the memory once a second. Returns the looks, and the steps that were done. */
async function watch({ minutes, recipe, engine }, output) {
  const all = [...settings, `stages.rl.steps=${Math.ceil(minutes * stepsOfMinute)}`, `policy.options.engine=${engine}`];
  const flags = all.flatMap((setting) => ['--set', setting]);
  const child = spawn(process.execPath, [bin, 'train', recipe, '--output', output, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (data) => (complaint = `${complaint}${data}`.slice(-2000)));
  const start = performance.now();
  const looks = [];
  const timer = setInterval(() => {
    const minute = (performance.now() - start) / 60_000;
    if (minute < minutes) looks.push({ minute, bytes: memoryOf(child.pid).now });
    // It writes its checkpoint and ends.
    else if (!child.killed) child.kill('SIGINT');
  }, 1000);
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearInterval(timer);
  if (!child.killed) throw new Error(`train ended early with ${code}: ${complaint}`);
  return { looks, steps: readFileSync(join(output, 'metrics.jsonl'), 'utf8').trim().split('\n').length };
}

/** Mean, lowest and highest memory of each period. */
function periodsOf(looks) {
  const count = Math.ceil(looks.at(-1).minute / period);
  return Array.from({ length: count }, (_, index) => {
    const bytes = looks.filter(({ minute }) => Math.floor(minute / period) === index).map((look) => look.bytes);
    const mean = bytes.reduce((sum, each) => sum + each, 0) / bytes.length;
    return { from: index * period, mean, lowest: Math.min(...bytes), highest: Math.max(...bytes) };
  });
}

/** Prints the memory of each five minutes. Returns the exit code: 1 if it is not flat. */
export async function measure(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '60' },
      recipe: { type: 'string', default: textWorld },
      engine: { type: 'string', default: 'auto' },
      json: { type: 'string' },
    },
  });
  if (!existsSync('/proc/self/smaps_rollup')) {
    console.log('skipped: only Linux tells how much memory a process and its children use');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-resident-'));
  try {
    const { looks, steps } = await watch({ ...values, minutes: Number(values.minutes) }, join(folder, 'run'));
    const periods = periodsOf(looks);
    const settled = periods.filter(({ from }) => from >= settling);
    const means = settled.map(({ mean }) => mean);
    const spread = Math.max(...means) / Math.min(...means) - 1;
    for (const { from, mean, lowest, highest } of periods) {
      const label = `${from} to ${from + period} min`.padEnd(16);
      console.log(`${label}${megabytes(mean)} (${megabytes(lowest)} to ${megabytes(highest)})`);
    }
    console.log(`${steps} steps. After ${settling} minutes the means differ by ${(100 * spread).toFixed(1)} %.`);
    const report = { engine: values.engine, steps, spread, periods };
    console.log(`Written to ${keepResults('resident', report, { command: ['resident', ...args] })}`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ...report, looks })}\n`);
    return spread <= tolerance ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
