// Compares whole iterations of GRPO: one of tokens without a world with TRL, and one of the quickstart with loops in PyTorch.
//   npm run bench -- rl [--iterations N] [--trl PATH] [options of bench/sides/options.js]
//   npm run bench -- rl --model FOLDER [--only PEER]... [--set KEY=VALUE]... [options of bench/sides/options.js]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { alternate, spread, startPeers, timed } from '../sides/alternate.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { median } from '../sides/median.js';
import { readOptions } from '../sides/options.js';
import { openHost } from '../sides/our-side.js';
import { milliseconds, rowOf } from '../sides/print-rows.js';
import { trainingEnvironment, trlEnvironment } from '../sides/python-environment.js';
import { report } from '../sides/report.js';
import { models, openModel, smallModel } from '../sides/small-model.js';
import { grpoWork } from './grpo-side.js';
import { measureLanguageModel } from './language-model.js';
import { iterate, openQuickstart, saveStart } from './quickstart-side.js';

const sizes = { prompts: 8, group: 8, prompt: 16, fresh: 64 };
const model = 'd 128 x 4';
const goals = { trl: 1 / 2.5, tuned: 0.7 };

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export async function measure(args) {
  // An iteration of a language model takes a minute on a slow side.
  const rounds = args.some((arg) => /^--model(=|$)/u.test(arg)) ? '3' : '7';
  const several = { type: 'string', multiple: true };
  const options = readOptions(args, {
    ...{ rounds: { type: 'string', default: rounds }, iterations: { type: 'string', default: '12' } },
    ...{ trl: { type: 'string' }, model: { type: 'string' }, only: several, set: several },
  });
  if (options.model !== undefined) return measureLanguageModel(options);
  const host = await openHost();
  const folder = await smallModel(host, models[model]);
  const trlArguments = [folder, ...['prompts', 'group', 'prompt', 'fresh'].map((name) => String(sizes[name]))];
  const trl = await startPeers(trlEnvironment(options.trl), 'trl_grpo.py', options, trlArguments);
  const peers = await startPeers(trainingEnvironment(options.python), 'serve.py', options);
  const foreign = watchForeignLoad([...trl.values(), ...peers.values()].map(({ pid }) => pid));
  const scratch = mkdtempSync(join(tmpdir(), 'agentgym-bench-'));
  const goalOf = (name) => (options.onGpu ? undefined : goals[name]);
  try {
    const works = [];
    const policies = [];
    for (const threads of options.threadCounts) {
      const policy = await openModel(host, folder, { threads, maxTokens: 96, ...options.policy });
      policies.push(policy);
      const ours = await grpoWork(policy, { ...sizes, ...models[model] });
      works.push({ side: 'ours', threads, repetitions: 2, run: (n) => timed(ours, n) });
      const run = (repetitions) => trl.get(threads).ask({ repetitions });
      works.push({ side: 'trl', threads, repetitions: 1, run });
    }
    const sides = await alternate(works, options.rounds);
    for (const policy of policies) await policy.dispose();
    const format = milliseconds;
    const parts = await measureQuickstart(host, peers, join(scratch, 'start'), options);
    const rows = [
      rowOf(`GRPO, ${model}, TRL`, sides, { peer: 'trl', goal: goalOf('trl'), format }),
      rowOf('quickstart, plain loop', parts, { peer: 'plain', format }),
      rowOf('quickstart, tuned loop', parts, { peer: 'tuned', goal: goalOf('tuned'), format }),
    ];
    const hello = { ...[...peers.values()][0].hello, ...[...trl.values()][0].hello };
    const facts = { foreignCores: foreign(), rows, profile: describeParts(Object.fromEntries(parts)) };
    return report('rl', facts, { options, hello, peer: `PyTorch ${hello.torch}, TRL ${hello.trl}` });
  } finally {
    for (const peer of [...peers.values(), ...trl.values()]) peer.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Measures iterations of the quickstart's GRPO. The sides alternate, after a supervised start that they share. */
async function measureQuickstart(host, peers, start, { iterations, policy, threadCounts }) {
  const sides = [];
  for (const threads of threadCounts) {
    const quickstart = await openQuickstart(host, { threads, ...policy, steps: Number(iterations) });
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
    const all = sides.map((side) => ({ threads: side.threads, ...side[name], cpuAlone: alone?.[name].cpu }));
    return all.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  };
  return new Map(['ours', 'plain', 'tuned'].map((name) => [name, best(name)]));
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
function describeParts({ ours, plain, tuned }) {
  const { generate, forwardBackward, optimizerStep } = ours.inModel;
  const inModel = forwardBackward + optimizerStep;
  const ms = (seconds) => `${(1000 * seconds).toFixed(0)} ms`;
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  return [
    'Where an iteration of the quickstart goes (512 episodes):',
    `  agentgym: rollout ${ms(ours.rollout)} (generation ${ms(generate)}, games and text besides ${ms(ours.rollout - generate)}),`,
    `    update ${ms(ours.update)} (gradients ${ms(forwardBackward)}, optimizer ${ms(optimizerStep)}, batches and credit ${ms(ours.update - inModel)})`,
    ...Object.entries({ plain, tuned }).map(
      ([name, loop]) => `  PyTorch, ${name} loop: rollout ${ms(loop.rollout)}, update ${ms(loop.update)}`,
    ),
    `  success meanwhile: ${[ours, plain, tuned].map(({ success }) => percent(success)).join(', ')}`,
  ];
}
