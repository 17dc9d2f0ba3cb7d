// A model of half a billion parameters beside PyTorch with transformers and PEFT: decoding, reading a prompt, and a
// training step of a LoRA adapter. All sides alternate in one run, with two threads each.
//   npm run bench -- models [--rounds N] [--folder MODEL] [--python PATH] [--json FILE]
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { openHost } from '../sides/our-side.js';
import { processorSeconds } from '../sides/processor-seconds.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { median } from '../sides/median.js';
import { PeerProcess } from '../sides/peer-process.js';
import { openHalfABillion } from './half-a-billion.js';
import { decodeWork, loraWork, openPolicy, prefillWork } from './our-side.js';

const threads = 2;
const vocabulary = 151_936;
const rank = 16;
const longest = 512;
const decode = (rows) => ({ rows, prompt: 256, fresh: 16 });

/** Each row: what both sides do, further options of our side, and the highest ratio to PyTorch float32. */
const rows = [
  { name: 'decode, 1 row', kind: 'decode', sizes: decode(1), goal: 1.1 },
  { name: 'decode, 8 rows', kind: 'decode', sizes: decode(8), goal: 1 / 1.8 },
  { name: 'decode, 1 row, int4', kind: 'decode', sizes: decode(1), options: { samplingWeights: 'int4' }, goal: 1 / 3 },
  { name: 'decode, 8 rows, int8', kind: 'decode', sizes: decode(8), options: { samplingWeights: 'int8' }, goal: 1 / 5 },
  { name: 'prefill of 256 tokens', kind: 'prefill', sizes: { rows: 1, prompt: 256 }, goal: 1.1 },
  {
    name: 'LoRA step of 2 x 256',
    kind: 'lora',
    sizes: { rows: 2, width: 256, rank, checkpointing: true },
    goal: 1,
  },
  { name: '  without checkpointing', kind: 'lora', sizes: { rows: 2, width: 256, rank, checkpointing: false } },
];

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export async function measure(options) {
  const { values } = parseArgs({
    args: options,
    options: {
      rounds: { type: 'string', default: '5' },
      folder: { type: 'string' },
      python: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { folder, python } = await openHalfABillion(values);
  // Threads that spin while they wait would take time from the other side.
  const variables = { OMP_WAIT_POLICY: 'passive', KMP_BLOCKTIME: '0', OMP_NUM_THREADS: String(threads) };
  const peers = {};
  for (const dtype of ['float32', 'bfloat16']) {
    peers[dtype] = await PeerProcess.start(python, 'models.py', [folder, String(threads), dtype], variables);
  }
  const host = await openHost();
  const foreign = watchForeignLoad(Object.values(peers).map(({ pid }) => pid));
  try {
    const measured = [];
    for (const row of rows) measured.push(await measureRow(host, folder, peers, row, Number(values.rounds)));
    const { torch } = peers.float32.hello;
    const report = { machine: cpus()[0].model, torch, foreignCores: foreign(), rows: measured };
    print(report);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return measured.every(({ ratio, goal = Infinity }) => ratio <= goal) ? 0 : 1;
  } finally {
    for (const peer of Object.values(peers)) peer.stop();
  }
}

/** Medians of one row. Our side and both of PyTorch's alternate, after one round that does not count. */
async function measureRow(host, folder, peers, { name, kind, sizes, options, goal }, rounds) {
  const adapter = kind === 'lora' && { loraRank: rank };
  const settings = { threads, microBatchTokens: 1024, cacheMegabytes: 400, ...adapter, ...options };
  const policy = await openPolicy(host, folder, settings, longest);
  try {
    const make = { decode: decodeWork, prefill: prefillWork, lora: loraWork }[kind];
    const work = await make(policy, vocabulary, sizes);
    for (const peer of Object.values(peers)) await peer.ask({ prepare: name, kind, sizes });
    const sides = { ours: () => timed(work) };
    for (const [dtype, peer] of Object.entries(peers)) {
      sides[dtype] = async () => {
        const { seconds, cpu } = await peer.ask({ measure: name, repetitions: 1 });
        return { seconds: seconds[0], cpu: cpu[0] };
      };
    }
    const results = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
    for (let round = 0; round <= rounds; round += 1) {
      for (const [side, run] of Object.entries(sides)) {
        // Lets threads of the other side go to sleep.
        await setTimeout(100);
        const result = await run();
        if (round > 0) results[side].push(result);
      }
    }
    for (const peer of Object.values(peers)) await peer.ask({ forget: name });
    const summary = Object.fromEntries(Object.entries(results).map(([side, list]) => [side, summarize(list)]));
    return { name, sides: summary, ratio: summary.ours.seconds / summary.float32.seconds, goal };
  } finally {
    await policy.dispose();
  }
}

async function timed({ before, run }) {
  await before?.();
  const start = performance.now();
  const spent = process.cpuUsage();
  await run();
  return { seconds: (performance.now() - start) / 1000, cpu: processorSeconds(spent) };
}

function summarize(list) {
  const seconds = list.map((item) => item.seconds);
  const cpu = median(list.map((item) => item.cpu));
  return { seconds: median(seconds), least: Math.min(...seconds), most: Math.max(...seconds), cpu };
}

function print({ machine, torch, foreignCores, rows: measured }) {
  console.log(`${machine}; PyTorch ${torch} with transformers and PEFT; ${threads} threads each.`);
  console.log('Median seconds (least to most); decoding is of 16 tokens after 256. Ratios are to float32.');
  if (foreignCores !== undefined) console.log(`Others used ${foreignCores.toFixed(2)} cores meanwhile.`);
  const widths = [26, 22, 22, 22, 8, 14, 11];
  const line = (...cells) =>
    console.log(cells.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[0]))).join(''));
  line('', 'agentgym', 'PyTorch float32', 'PyTorch bfloat16', 'ratio', 'goal', 'CPU ratio');
  const shown = ({ seconds, least, most }) => `${seconds.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
  for (const { name, sides, ratio, goal } of measured) {
    const { ours, float32, bfloat16 } = sides;
    const verdict = goal === undefined ? '' : `${goal.toFixed(2)}${ratio <= goal ? '' : ' missed'}`;
    line(name, ...[ours, float32, bfloat16].map(shown), ratio.toFixed(2), verdict, (ours.cpu / float32.cpu).toFixed(2));
  }
  const ahead = measured
    .filter(({ sides }) => sides.bfloat16.seconds < sides.ours.seconds)
    .map(({ name }) => name.trim());
  if (ahead.length > 0) console.log(`PyTorch bfloat16 is ahead in: ${ahead.join('; ')}.`);
}
