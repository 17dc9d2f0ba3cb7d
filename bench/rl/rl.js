// Compares whole iterations of GRPO: one of tokens without a world with TRL, and one of the quickstart with loops in PyTorch.
//   npm run bench -- rl [--rounds N] [--iterations N] [--engine NAME] [--python PATH] [--trl PATH] [--json FILE]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { alternate, spread, startPeers, threadCounts, timed } from '../sides/alternate.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { deviceOf, keepResults } from '../sides/keep-results.js';
import { median } from '../sides/median.js';
import { openHost } from '../sides/our-side.js';
import { exitCodeOf, milliseconds, printRows, rowOf } from '../sides/print-rows.js';
import { trainingEnvironment, trlEnvironment } from '../sides/python-environment.js';
import { models, openSmallModel, smallModel } from '../sides/small-model.js';
import { grpoWork } from './grpo-side.js';
import { iterate, openQuickstart, saveStart } from './quickstart-side.js';

const sizes = { prompts: 8, group: 8, prompt: 16, fresh: 64 };
const model = 'd 128 x 4';
const goals = { trl: 1 / 2.5, tuned: 0.7 };

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export async function measure(options) {
  const { values } = parseArgs({
    args: options,
    options: {
      rounds: { type: 'string', default: '7' },
      iterations: { type: 'string', default: '12' },
      engine: { type: 'string', default: 'auto' },
      python: { type: 'string' },
      trl: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const host = await openHost();
  const folder = await smallModel(host, models[model]);
  const arguments_ = [folder, ...['prompts', 'group', 'prompt', 'fresh'].map((name) => String(sizes[name]))];
  const trl = await startPeers(trlEnvironment(values.trl), 'trl_grpo.py', arguments_);
  const peers = await startPeers(trainingEnvironment(values.python), 'serve.py');
  const foreign = watchForeignLoad([...trl.values(), ...peers.values()].map(({ pid }) => pid));
  const scratch = mkdtempSync(join(tmpdir(), 'agentgym-bench-'));
  try {
    const works = [];
    const policies = [];
    for (const threads of threadCounts) {
      const policy = await openSmallModel(host, folder, { threads, maxTokens: 96, engine: values.engine });
      policies.push(policy);
      const ours = await grpoWork(policy, { ...sizes, ...models[model] });
      works.push({ row: model, side: 'ours', threads, repetitions: 2, run: (n) => timed(ours, n) });
      const run = (repetitions) => trl.get(threads).ask({ repetitions });
      works.push({ row: model, side: 'torch', threads, repetitions: 1, run });
    }
    const sides = (await alternate(works, Number(values.rounds))).get(model);
    for (const policy of policies) await policy.dispose();
    const rows = [rowOf(`GRPO, ${model}, TRL`, sides, { goal: goals.trl, format: milliseconds })];
    const quickstart = await measureQuickstart(host, peers, join(scratch, 'start'), values);
    rows.push(...quickstart.rows);
    const [{ hello }] = trl.values();
    const report = {
      ...{ engine: values.engine, torch: hello.torch, trl: hello.trl, foreignCores: foreign(), rows },
      parts: quickstart.parts,
    };
    const peer = `PyTorch ${hello.torch}, TRL ${hello.trl}`;
    printRows(rows, { machine: deviceOf(), peer, foreignCores: report.foreignCores });
    printParts(quickstart.parts);
    console.log(`\nWritten to ${keepResults('rl', report, { flags: options })}`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return exitCodeOf(rows);
  } finally {
    for (const peer of [...peers.values(), ...trl.values()]) peer.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Measures iterations of the quickstart's GRPO. The sides alternate, after a supervised start that they share. */
async function measureQuickstart(host, peers, start, { iterations, engine }) {
  const sides = [];
  for (const threads of threadCounts) {
    const quickstart = await openQuickstart(host, { threads, engine, steps: Number(iterations) });
    if (sides.length === 0) await saveStart(quickstart, start);
    else await quickstart.parts.policy.load(start);
    const peer = peers.get(threads);
    const lists = { ours: [], plain: [], tuned: [] };
    for (const name of ['plain', 'tuned']) {
      await peer.ask({ prepare: name, kind: 'grpo', folder: start, tuned: name === 'tuned' });
    }
    await iterate(quickstart, async (iteration) => {
      lists.ours.push(iteration);
      for (const name of ['plain', 'tuned']) {
        await setTimeout(100);
        const { seconds, cpu, rollout, update, success } = await peer.ask({ measure: name, repetitions: 1 });
        lists[name].push({
          seconds: seconds[0],
          cpu: cpu[0],
          rollout: rollout[0],
          update: update[0],
          success: success[0],
        });
      }
      await setTimeout(100);
    });
    await quickstart.dispose();
    // The first iterations compile programs for new shapes, on both sides.
    const settled = (list) => list.slice(Math.min(3, Math.floor(list.length / 2)));
    sides.push({
      threads,
      ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, summary(settled(list))])),
    });
  }
  const alone = sides.find(({ threads }) => threads === 1);
  const best = (name) => {
    const all = sides.map((side) => ({ threads: side.threads, ...side[name], cpuAlone: alone[name].cpu }));
    return all.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  };
  const parts = { ours: best('ours'), plain: best('plain'), tuned: best('tuned') };
  const row = (name, loop, goal) =>
    rowOf(
      name,
      new Map([
        ['ours', parts.ours],
        ['torch', parts[loop]],
      ]),
      { goal, format: milliseconds },
    );
  return { rows: [row('quickstart, plain loop', 'plain'), row('quickstart, tuned loop', 'tuned', goals.tuned)], parts };
}

function summary(list) {
  const of = (pick) => median(list.map(pick));
  const { inModel } = list[0];
  return {
    ...spread(list.map(({ seconds }) => seconds)),
    cpu: of(({ cpu }) => cpu),
    rollout: of(({ rollout }) => rollout),
    update: of(({ update }) => update),
    success: of(({ success }) => success),
    ...(inModel && {
      inModel: Object.fromEntries(Object.keys(inModel).map((name) => [name, of((item) => item.inModel[name])])),
    }),
  };
}

/** Where an iteration of the quickstart goes, on both sides. */
function printParts({ ours, plain, tuned }) {
  const { generate, forwardBackward, optimizerStep } = ours.inModel;
  const inModel = forwardBackward + optimizerStep;
  const ms = (seconds) => `${(1000 * seconds).toFixed(0)} ms`;
  console.log('\nWhere an iteration of the quickstart goes (512 episodes):');
  console.log(
    `  agentgym  rollout ${ms(ours.rollout)}: generation ${ms(generate)}, games and text ${ms(ours.rollout - generate)}`,
  );
  console.log(
    `            update  ${ms(ours.update)}: gradients ${ms(forwardBackward)}, optimizer ${ms(optimizerStep)}, batches and credit ${ms(ours.update - inModel)}`,
  );
  for (const [name, loop] of Object.entries({ plain, tuned })) {
    console.log(`  PyTorch, ${name} loop: rollout ${ms(loop.rollout)}, update ${ms(loop.update)}`);
  }
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  console.log(`  success meanwhile ${[ours, plain, tuned].map(({ success }) => percent(success)).join(', ')}`);
}
