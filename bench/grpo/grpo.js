// GRPO with a LoRA adapter on a model of half a billion parameters, beside PyTorch with transformers and PEFT, which
// does the same work: the conversations and micro-batches of our run.
//   npm run bench -- grpo [--steps N] [--peer-steps N] [--folder MODEL] [--python PATH] [--json FILE]
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { openHalfABillion } from '../models/half-a-billion.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { peakMemory } from '../sides/peak-memory.js';
import { PeerProcess } from '../sides/peer-process.js';

const goals = { seconds: 0.9, memory: 0.75 };
const threads = 2;
const recipe = fileURLToPath(new URL('recipe.yaml', import.meta.url));

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
  const ours = await run(process.execPath, '../grpo/our-training.js', {
    parameters: [recipe, folder, values.steps],
    requests: Array.from({ length: Number(values.steps) }, () => ({})),
  });
  const work = ours.answers.map(({ turns, batches }) => ({ turns, batches }));
  const lengths = work.flatMap(({ batches }) => batches.flatMap(({ rows }) => rows.map(({ tokens }) => tokens.length)));
  const peer = (dtype) =>
    run(python, 'grpo_lora.py', {
      parameters: [folder, String(threads), dtype, 'checkpointing'],
      requests: work.slice(0, Number(values['peer-steps'])),
    });
  const all = { agentgym: ours, float32: await peer('float32'), bfloat16: await peer('bfloat16') };
  const sides = Object.fromEntries(
    Object.entries(all).map(([name, { answers, ...facts }]) => {
      const iterations = answers.map(({ seconds, cpu, rollout, update }) => ({ seconds, cpu, rollout, update }));
      return [name, { ...facts, iterations }];
    }),
  );
  const report = { machine: cpus()[0].model, torch: sides.float32.torch, lengths, sides };
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  return print(report) ? 0 : 1;
}

/** Lets a process answer requests, and ends it. Adds its highest memory and what others used. */
async function run(command, script, { parameters, requests }) {
  const side = await PeerProcess.start(command, script, parameters, { OMP_NUM_THREADS: String(threads) });
  try {
    const foreign = watchForeignLoad([side.pid]);
    const answers = [];
    for (const request of requests) answers.push(await side.ask(request));
    return { ...side.hello, answers, peakBytes: peakMemory(side.pid), foreignCores: foreign() };
  } finally {
    await side.stop();
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
