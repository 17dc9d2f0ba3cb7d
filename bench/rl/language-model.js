// Whole iterations of GRPO with a LoRA adapter on a language model, beside TRL with PEFT and a plain loop in PyTorch. In each
// round our side plays and learns, and then the others do the same work: they sample as many tokens in the same turns, and
// train on the same conversations.
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { spread } from '../sides/alternate.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { peerTypes } from '../sides/instructions.js';
import { openLanguageModel } from '../sides/language-model.js';
import { median } from '../sides/median.js';
import { chosen } from '../sides/options.js';
import { peakMemory } from '../sides/peak-memory.js';
import { PeerProcess } from '../sides/peer-process.js';
import { trlWithPeftEnvironment } from '../sides/python-environment.js';
import { quietThreads } from '../sides/quiet-threads.js';
import { headOf, keep } from '../sides/report.js';
import { UsageError } from '../sides/usage-error.js';
import { describeCheck, printSides } from './print-iterations.js';
import { arrangeWork, countTokens } from './recorded-work.js';

const threads = 2;
/** All sides compile for new shapes in them. */
const warmUps = 1;
/** The highest shares of the fastest side of each type. */
const goals = { float32: { seconds: 0.5, peakBytes: 0.6 }, bfloat16: { seconds: 0.65 } };
const recipe = fileURLToPath(new URL('language-model.yaml', import.meta.url));

const scripts = { TRL: 'trl_conversations.py', loop: 'grpo_lora.py' };
const peers = Object.keys(goals).flatMap((dtype) =>
  Object.keys(scripts).flatMap((program) =>
    ['activations', 'checkpointing'].map((memory) => ({
      name: `${program} ${dtype}${memory === 'checkpointing' ? ' checkpointing' : ''}`,
      ...{ program, dtype, memory },
    })),
  ),
);

/** Runs the measurement and prints its tables. Returns the exit code: 1 if a goal is missed. */
export async function measureLanguageModel(options) {
  const { rounds, only, set = [], python } = options;
  if (options.onGpu) throw new UsageError('--model is measured on processors: leave out --device gpu');
  const types = peerTypes();
  const here = peers.filter(({ dtype }) => types.includes(dtype));
  const wanted = chosen(here, only);
  const { folder, name } = openLanguageModel(options.model);
  const interpreter = trlWithPeftEnvironment(python);
  // Those of one type live side by side: eight processes would need more memory than the machine has.
  const dtypes = Object.keys(goals).filter((dtype) => wanted.some((peer) => peer.dtype === dtype));
  const steps = dtypes.length * (warmUps + rounds);
  const settings = Object.entries({ threads, ...options.policy });
  const sets = [...settings.map(([name, value]) => `policy.options.${name}=${value}`), ...set];
  const ours = await start(process.execPath, '../grpo/our-training.js', [recipe, folder, String(steps), ...sets]);
  const blocks = [];
  try {
    for (const dtype of dtypes) {
      const block = wanted.filter((peer) => peer.dtype === dtype);
      blocks.push(
        await measureBlock(block, { ours, interpreter, folder, rounds, options, isFirst: blocks.length === 0 }),
      );
    }
  } finally {
    await ours.stop();
  }
  const checks = blocks.flatMap((block) => block.checks);
  for (const check of checks) console.log(describeCheck(check));
  const { torch, trl, transformers } = Object.assign({}, ...blocks.map(({ hello }) => hello));
  const { engine, precision } = options;
  const rows = blocks.flatMap((block) => block.rows);
  const foreignCores = Math.max(...blocks.map((block) => block.foreignCores ?? 0));
  const facts = { model: name, engine, precision, torch, transformers, trl, foreignCores, rows };
  keep(`rl ${name}`, { ...facts, profile: checks.map(describeCheck) }, options);
  return checks.every(({ ratio, goal }) => ratio <= goal) ? 0 : 1;
}

function start(command, script, parameters) {
  return PeerProcess.start(command, script, parameters, quietThreads(threads));
}

/** Measures our side and others of one type. */
async function measureBlock(block, { ours, interpreter, folder, rounds, options, isFirst }) {
  const { tasks, groupSize } = ours.hello;
  const others = [];
  try {
    for (const { program, dtype, memory } of block) {
      const sizes = program === 'TRL' ? [String(tasks), String(groupSize)] : [];
      others.push(await start(interpreter, scripts[program], [folder, ...sizes, String(threads), dtype, memory]));
    }
    const hello = Object.assign({}, ...others.map((each) => each.hello));
    if (isFirst) {
      console.log(headOf({ options: { ...options, threadCounts: [threads] }, hello, peer: describe(hello) }));
      console.log(`An iteration: ${tasks} x ${groupSize} episodes, rollout and one step; ${threads} threads each.`);
    }
    const all = [ours, ...others];
    const foreign = watchForeignLoad(all.map(({ pid }) => pid));
    const names = ['agentgym', ...block.map(({ name }) => name)];
    const lists = await alternateIterations(names, all, rounds);
    const foreignCores = foreign();
    const sides = names.map((name, index) => summary(name, lists[index], peakMemory(all[index].pid)));
    printSides(sides, foreignCores);
    return { hello, foreignCores, ...compare(sides, goals[block[0].dtype]) };
  } finally {
    for (const each of others) await each.stop();
  }
}

/** Figures of each side's counted iterations. Our side is the first. */
async function alternateIterations(names, [ours, ...others], rounds) {
  const lists = names.map(() => []);
  for (let round = 0; round < warmUps + rounds; round += 1) {
    const { turns, batches, ...figures } = await ours.ask({});
    const answers = [figures];
    const work = arrangeWork({ turns, batches });
    const tokens = countTokens(work);
    for (const [index, other] of others.entries()) {
      // Lets threads of the other side go to sleep.
      await setTimeout(100);
      const answer = await other.ask(work);
      refuseOtherWork(names[index + 1], answer, tokens);
      answers.push(answer);
    }
    const isCounted = round >= warmUps;
    if (isCounted) answers.forEach((answer, index) => lists[index].push(answer));
    const seconds = answers.map((answer, index) => `${names[index]} ${answer.seconds.toFixed(1)} s`);
    const title = isCounted ? `round ${round - warmUps + 1}` : 'warm-up';
    console.log(`${title}, ${tokens.sampled} sampled tokens: ${seconds.join(', ')}`);
  }
  return lists;
}

function refuseOtherWork(name, answer, tokens) {
  for (const kind of ['sampled', 'trained']) {
    if (answer[kind] === tokens[kind]) continue;
    throw new Error(`${name}: ${answer[kind]} ${kind} tokens instead of ${tokens[kind]}`);
  }
}

function summary(name, list, peakBytes) {
  const of = (key) => median(list.map((item) => item[key]));
  const parts = { rollout: of('rollout'), update: of('update'), cpu: of('cpu') };
  return { name, threads, ...spread(list.map(({ seconds }) => seconds)), ...parts, peakBytes };
}

/** Our side beside the fastest of the others: what is checked, and a row for each of them. */
function compare([ours, ...others], wanted) {
  const fastest = others.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  const checks = Object.entries(wanted).map(([what, goal]) => {
    return { what, ours, theirs: fastest, ratio: ours[what] / fastest[what], goal };
  });
  const rows = others.map((theirs) => ({
    ...{ name: `GRPO iteration, ${theirs.name}`, ours, theirs, ratio: ours.seconds / theirs.seconds },
    goal: theirs === fastest ? wanted.seconds : undefined,
  }));
  return { checks, rows };
}

function describe({ torch, trl }) {
  return [`PyTorch ${torch} with transformers and PEFT`, ...(trl === undefined ? [] : [`TRL ${trl}`])].join(', ');
}
