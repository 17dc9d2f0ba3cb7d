// Compares our engine with eager PyTorch. Both alternate in one run, and each uses the faster of one and two threads.
//   npm run bench -- engine [--rounds N] [--iterations N] [--python PATH] [--json FILE]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { watchForeignLoad } from '../foreign-load.js';
import { median } from '../median.js';
import { PeerProcess } from '../peer-process.js';
import { pythonWith } from '../python-environment.js';
import { decodeWork, makePolicy, openHost, trainWork } from './our-side.js';
import { printReport } from './print-report.js';
import { processorSeconds } from './processor-seconds.js';
import { iterate, openQuickstart, saveStart } from './quickstart-side.js';

const threadCounts = [1, 2];
const episodes = { prompt: 16, fresh: 64, episodes: 32 };
const models = [
  { name: 'd 128 x 4', preset: 'micro', vocabulary: 512, hidden: 128, layers: 4, heads: 4, intermediate: 384 },
  { name: 'quickstart', preset: 'pico', vocabulary: 98, hidden: 64, layers: 2, heads: 4, intermediate: 128 },
];
/** Maximum ratio to PyTorch's time, by kind and model. */
const goals = {
  'step d 128 x 4': 0.95,
  'step quickstart': 0.95,
  'decode d 128 x 4': 1 / 2,
  'decode quickstart': 1 / 1.8,
  'iteration, plain loop': 0.8,
};

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export async function measure(options) {
  const { values } = parseArgs({
    args: options,
    options: {
      rounds: { type: 'string', default: '7' },
      iterations: { type: 'string', default: '12' },
      python: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const note = 'It is large; a CPU-only index in PIP_INDEX_URL makes it small.';
  const python = pythonWith('torch', ['torch>=2.15', 'numpy'], values.python, note);
  const peers = new Map();
  for (const threads of threadCounts) {
    // Threads that spin while they wait would take time from the other side.
    const variables = { OMP_WAIT_POLICY: 'passive', KMP_BLOCKTIME: '0', OMP_NUM_THREADS: String(threads) };
    peers.set(threads, await PeerProcess.start(python, 'serve.py', [String(threads)], variables));
  }
  const host = await openHost();
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-bench-'));
  const foreign = watchForeignLoad([...peers.values()].map(({ pid }) => pid));
  try {
    const rows = [];
    for (const model of models) rows.push(...(await measureModel(host, peers, model, Number(values.rounds))));
    const iteration = await measureIteration(host, peers, join(folder, 'start'), Number(values.iterations));
    rows.push(...iteration.rows);
    const [{ hello }] = peers.values();
    const report = {
      machine: cpus()[0].model,
      torch: hello.torch,
      foreignCores: foreign(),
      rows,
      iteration: iteration.parts,
    };
    printReport(report);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return rows.every(({ ratio, goal = Infinity }) => ratio <= goal) ? 0 : 1;
  } finally {
    for (const peer of peers.values()) peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures training steps and decoding of one model. Sides and thread counts alternate. */
async function measureModel(host, peers, model, rounds) {
  const sizes = { ...model, ...episodes, new: episodes.fresh };
  const works = [];
  const policies = [];
  for (const threads of threadCounts) {
    // As on the other side, separate models decode and train.
    const make = async () => {
      policies.push(await makePolicy(host, { ...sizes, threads, maxTokens: sizes.prompt + sizes.fresh }));
      return policies.at(-1);
    };
    const peer = peers.get(threads);
    for (const [kind, ours, repetitions] of [
      ['decode', decodeWork(await make(), sizes), 2],
      ['train', await trainWork(await make(), sizes), 5],
    ]) {
      const name = `${kind} ${model.name}`;
      await peer.ask({ prepare: name, kind, sizes });
      works.push({ kind, threads, repetitions, side: 'ours', run: (n) => timed(ours, n) });
      const theirs = (n) => peer.ask({ measure: name, repetitions: n });
      works.push({ kind, threads, repetitions, side: 'torch', run: theirs });
    }
  }
  const results = new Map(works.map((work) => [work, { seconds: [], cpu: [] }]));
  for (const work of works) await work.run(2);
  for (let round = 0; round < rounds; round += 1) {
    for (const work of works) {
      // Lets threads of the other side go to sleep.
      await setTimeout(100);
      const { seconds, cpu } = await work.run(work.repetitions);
      results.get(work).seconds.push(...seconds);
      results.get(work).cpu.push(...cpu);
    }
  }
  for (const policy of policies) await policy.dispose();
  const sideOf = (kind, side) =>
    works
      .filter((work) => work.kind === kind && work.side === side)
      .map((work) => {
        const { seconds, cpu } = results.get(work);
        return { threads: work.threads, seconds: median(seconds), cpu: median(cpu) };
      });
  const tokens = sizes.episodes * sizes.fresh;
  return [
    row(`step ${model.name}`, sideOf('train', 'ours'), sideOf('train', 'torch'), (s) => `${(1000 * s).toFixed(1)} ms`),
    row(
      `decode ${model.name}`,
      sideOf('decode', 'ours'),
      sideOf('decode', 'torch'),
      (s) => `${Math.round(tokens / s)} tok/s`,
    ),
  ];
}

/** Measures iterations of the quickstart's GRPO. The sides alternate, after a supervised start that they share. */
async function measureIteration(host, peers, start, iterations) {
  const sides = [];
  for (const threads of threadCounts) {
    const quickstart = await openQuickstart(host, { threads, steps: iterations });
    if (sides.length === 0) await saveStart(quickstart, start);
    else await quickstart.parts.policy.load(start);
    const peer = peers.get(threads);
    const ours = [];
    const theirs = { plain: [], tuned: [] };
    for (const name of Object.keys(theirs)) {
      await peer.ask({ prepare: name, kind: 'grpo', folder: start, tuned: name === 'tuned' });
    }
    await iterate(quickstart, async (iteration) => {
      ours.push(iteration);
      for (const [name, list] of Object.entries(theirs)) {
        await setTimeout(100);
        const { seconds, cpu, rollout, update, success } = await peer.ask({ measure: name, repetitions: 1 });
        list.push({ seconds: seconds[0], cpu: cpu[0], rollout: rollout[0], update: update[0], success: success[0] });
      }
      await setTimeout(100);
    });
    await quickstart.dispose();
    // The first iterations compile programs for new shapes, on both sides.
    const settled = (list) => list.slice(Math.min(3, Math.floor(list.length / 2)));
    const { plain, tuned } = theirs;
    sides.push({
      threads,
      ours: summary(settled(ours)),
      plain: summary(settled(plain)),
      tuned: summary(settled(tuned)),
    });
  }
  const sideOf = (side) => sides.map((entry) => ({ threads: entry.threads, ...entry[side] }));
  const [ours, plain, tuned] = ['ours', 'plain', 'tuned'].map(sideOf);
  const milliseconds = (s) => `${(1000 * s).toFixed(0)} ms`;
  return {
    rows: [
      row('iteration, plain loop', ours, plain, milliseconds),
      row('iteration, tuned loop', ours, tuned, milliseconds),
    ],
    parts: { ours: fastest(ours), plain: fastest(plain), tuned: fastest(tuned) },
  };
}

function summary(list) {
  const of = (pick) => median(list.map(pick));
  const { inModel } = list[0];
  return {
    seconds: of(({ seconds }) => seconds),
    cpu: of(({ cpu }) => cpu),
    rollout: of(({ rollout }) => rollout),
    update: of(({ update }) => update),
    success: of(({ success }) => success),
    ...(inModel && {
      inModel: Object.fromEntries(Object.keys(inModel).map((name) => [name, of((item) => item.inModel[name])])),
    }),
  };
}

/** A line of the table: each side with its faster number of threads, and the processor time of both on one thread. */
function row(name, ourSides, torchSides, format) {
  const [ours, torch] = [fastest(ourSides), fastest(torchSides)];
  const [alone, torchAlone] = [ourSides, torchSides].map((sides) => sides.find(({ threads }) => threads === 1));
  const ratio = ours.seconds / torch.seconds;
  const cpuRatio = alone.cpu / torchAlone.cpu;
  return { name, ours, torch, ratio, cpuRatio, goal: goals[name], text: [format(ours.seconds), format(torch.seconds)] };
}

function fastest(sides) {
  return sides.reduce((a, b) => (b.seconds < a.seconds ? b : a));
}

async function timed(work, repetitions) {
  const seconds = [];
  const cpu = [];
  for (let i = 0; i < repetitions; i += 1) {
    const start = performance.now();
    const before = process.cpuUsage();
    await work();
    seconds.push((performance.now() - start) / 1000);
    cpu.push(processorSeconds(before));
  }
  return { seconds, cpu };
}
