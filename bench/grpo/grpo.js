// GRPO with a LoRA adapter on a model of half a billion parameters, beside PyTorch with transformers and PEFT, which
// does the same work: the conversations and micro-batches of our run.
//   npm run bench -- grpo [--steps N] [--peer-steps N] [--folder MODEL] [--python PATH] [--json FILE]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { watchForeignLoad } from '../sides/foreign-load.js';
import { openHalfABillion } from '../models/half-a-billion.js';

const goals = { seconds: 0.9, memory: 0.75 };
const threads = 2;

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export async function measure(options) {
  const { values } = parseArgs({
    args: options,
    options: {
      steps: { type: 'string', default: '2' },
      'peer-steps': { type: 'string', default: '2' },
      folder: { type: 'string' },
      python: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { folder, python } = await openHalfABillion(values);
  const scratch = mkdtempSync(join(tmpdir(), 'agentgym-bench-'));
  try {
    const workFile = join(scratch, 'work.json');
    const ours = await run(process.execPath, [script('our-training.js'), folder, values.steps, workFile]);
    const lengths = JSON.parse(readFileSync(workFile, 'utf8')).flatMap(({ batches }) =>
      batches.flat(2).map(({ tokens }) => tokens.length),
    );
    const peer = (dtype) =>
      run(python, [script('../peer/grpo_lora.py'), folder, workFile, values['peer-steps'], String(threads), dtype]);
    const sides = { agentgym: ours, float32: await peer('float32'), bfloat16: await peer('bfloat16') };
    const report = { machine: cpus()[0].model, torch: sides.float32.torch, lengths, sides };
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return print(report) ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function script(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Runs a program that prints one JSON line last. Adds its highest memory and what others used. */
async function run(command, parameters) {
  const child = spawn(command, parameters, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, OMP_NUM_THREADS: String(threads) },
  });
  const foreign = watchForeignLoad([child.pid]);
  let peak = 0;
  let load;
  // What the kernel knows of a process is gone when it ends, so the last look counts.
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid));
    load = foreign() ?? load;
  }, 500);
  let out = '';
  child.stdout.on('data', (part) => (out += part));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with ${code}`);
  return { ...JSON.parse(out.trim().split('\n').at(-1)), peakBytes: peak, foreignCores: load };
}

/**
 * The highest resident memory of a process up to now; 0 without /proc. Both sides are one process that shares no memory,
 * so it is their proportional memory (Pss), which takes much longer to read.
 */
function memoryOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return 0;
  }
}

/** Returns whether the goals are met. */
function print({ machine, torch, lengths, sides }) {
  console.log(
    `${machine}; PyTorch ${torch} with transformers and PEFT, gradient checkpointing; ${threads} threads each.`,
  );
  console.log(`Episodes of ${Math.min(...lengths)} to ${Math.max(...lengths)} tokens. Mean of the steps:`);
  const mean = ({ iterations }, key) => iterations.reduce((sum, item) => sum + item[key], 0) / iterations.length;
  const line = (...cells) => console.log(cells.map((cell, i) => (i ? cell.padStart(14) : cell.padEnd(20))).join(''));
  line('', 'step', 'rollout', 'update', 'CPU', 'peak memory', 'others used');
  for (const [name, side] of Object.entries(sides)) {
    const seconds = ['seconds', 'rollout', 'update', 'cpu'].map((key) => `${mean(side, key).toFixed(1)} s`);
    const used = side.foreignCores === undefined ? '' : `${side.foreignCores.toFixed(2)} cores`;
    line(
      name === 'agentgym' ? name : `PyTorch ${name}`,
      ...seconds,
      `${(side.peakBytes / 2 ** 20).toFixed(0)} MiB`,
      used,
    );
  }
  const time = mean(sides.agentgym, 'seconds') / mean(sides.float32, 'seconds');
  const memory = sides.agentgym.peakBytes / sides.float32.peakBytes;
  const verdict = (ratio, goal) => `${ratio.toFixed(2)} (goal ${goal}${ratio <= goal ? '' : ', missed'})`;
  console.log(
    `Ratios to PyTorch float32: time ${verdict(time, goals.seconds)}, memory ${verdict(memory, goals.memory)}`,
  );
  return time <= goals.seconds && memory <= goals.memory;
}
