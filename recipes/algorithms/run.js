// Compares algorithms on the quickstart's task under one budget: `node recipes/algorithms/run.js [--seeds N] [--runs DIR] [--only NAME,...] [--write FILE] [--set
// KEY=VALUE]...`. Two runs of one thread go side by side; finished ones are kept and not repeated, so that it can be stopped and started again.
// Prints, or writes, docs/results/algorithms.md.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { pairedTInterval, tInterval } from '../../dist/statistics/t-interval.js';

const algorithms = [
  ['ppo', 'PPO, own critic'],
  ['grpo', 'GRPO'],
  ['dr-grpo', 'Dr. GRPO'],
  ['gspo', 'GSPO'],
  ['rloo', 'RLOO'],
  ['reinforce-plus-plus', 'REINFORCE++'],
  ['reinforce', 'REINFORCE'],
  ['reinforce-rebn', 'REINFORCE + ReBN'],
  ['cispo', 'CISPO'],
  ['expert-iteration', 'expert iteration'],
];
/** What the others are compared with. */
const standard = 'grpo';
const sideBySide = 2;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: flags } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5' },
    runs: { type: 'string', default: join(root, 'runs', 'algorithms') },
    only: { type: 'string' },
    write: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
  },
});
const seeds = Array.from({ length: Number(flags.seeds) }, (_, index) => index + 1);
const chosen = algorithms.filter(([name]) => flags.only === undefined || flags.only.split(',').includes(name));
if (seeds.length === 0 || chosen.length === 0) {
  console.error(`Nothing to run: --seeds is at least 1, --only takes ${algorithms.map(([name]) => name).join(', ')}.`);
  process.exit(2);
}

// Seeds first: whatever is there when it is stopped compares all algorithms.
const jobs = seeds.flatMap((seed) =>
  chosen.map(([name]) => ({ name, seed, output: join(flags.runs, `${name}-${seed}`) })),
);
const waiting = jobs.filter(({ output }) => !existsSync(join(output, 'result.json')));
console.error(`${jobs.length} runs, ${waiting.length} of them to be made`);
await Promise.all(
  Array.from({ length: sideBySide }, async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await train(job);
  }),
);
const text = report();
if (flags.write === undefined) console.log(text);
else writeFileSync(flags.write, `${text}\n`);

/** Makes one run; what an earlier one left half-way goes on from its checkpoint, or anew where there is none. */
async function train({ name, seed, output }) {
  const resumable = existsSync(join(output, 'checkpoints', 'latest.json'));
  if (!resumable) rmSync(output, { recursive: true, force: true });
  const fresh = [join(root, 'recipes', 'algorithms', `${name}.yaml`), '--seed', String(seed), '--output', output];
  const sets = flags.set.flatMap((set) => ['--set', set]);
  const given = resumable ? ['--resume', output] : [...fresh, ...sets];
  const start = performance.now();
  const child = spawn(process.execPath, [join(root, 'bin', 'run.js'), 'train', ...given], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) throw new Error(`${name}, seed ${seed} ended with ${code}:\n${said.slice(-2000)}`);
  console.error(`${name}, seed ${seed}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
}

function resultOf(name, seed) {
  const result = JSON.parse(readFileSync(join(flags.runs, `${name}-${seed}`, 'result.json'), 'utf8'));
  if (result.status !== 'completed') throw new Error(`${name}-${seed} is ${result.status}: remove it or resume it`);
  const rate = (evaluations, temperature) =>
    evaluations.find((evaluation) => evaluation.temperature === temperature).success.rate;
  return {
    seconds: result.seconds,
    starts: [0, 1].map((temperature) => rate(result.starts, temperature)),
    finals: [0, 1].map((temperature) => rate(result.evaluations, temperature)),
  };
}

/** The page: means over seeds with 95 % t intervals, gains over the start, and differences to the standard on the same seeds. */
function report() {
  const results = new Map(chosen.map(([name]) => [name, seeds.map((seed) => resultOf(name, seed))]));
  const points = (share) => (100 * share).toFixed(1);
  const interval = ({ mean, low, high }) => `${points(mean)} (${points(low)} to ${points(high)})`;
  const of = (name, field, temperature) => results.get(name).map((result) => result[field][temperature]);
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const lines = [
    row(['algorithm', 'T 0', 'T 1', 'gain T 0', 'gain T 1', `T 0 less GRPO`, `T 1 less GRPO`, 'seconds']),
    row(Array(8).fill('---')),
  ];
  for (const [name, title] of chosen) {
    const temperatures = [0, 1];
    const finals = temperatures.map((t) => tInterval(of(name, 'finals', t)));
    const gains = temperatures.map((t) => pairedTInterval(of(name, 'starts', t), of(name, 'finals', t)));
    const differences = temperatures.map((t) =>
      name === standard || !results.has(standard)
        ? ''
        : interval(pairedTInterval(of(standard, 'finals', t), of(name, 'finals', t))),
    );
    const seconds = results.get(name).reduce((sum, result) => sum + result.seconds, 0) / seeds.length;
    lines.push(row([title, ...finals.map(interval), ...gains.map(interval), ...differences, seconds.toFixed(0)]));
  }
  const [first] = chosen[0];
  const starts = [0, 1].map((t) => interval(tInterval(of(first, 'starts', t))));
  const machine = `${cpus().length} x ${cpus()[0].model.trim()}`;
  return [
    '# Algorithms compared',
    '',
    `Success in percent on the quickstart's test split, means over seeds 1 to ${seeds.length} with 95 % t intervals; differences are paired by seed. Every run starts from the`,
    `same supervised policy (${starts[0]} at temperature 0, ${starts[1]} at temperature 1) and plays 125 steps of 512 episodes, half of the`,
    "quickstart's reinforcement learning, with the same optimizer and learning rate. Made by",
    '',
    '```console',
    '$ node recipes/algorithms/run.js --write docs/results/algorithms.md',
    '```',
    '',
    ...lines,
    '',
    ...remarks(results, of),
    '',
    `Seconds are wall time of a run of one thread, two side by side (${machine}).`,
  ].join('\n');
}

/** What the table says in words. */
function remarks(results, of) {
  const names = [...results.keys()];
  const titles = new Map(chosen);
  const list = (some) => (some.length === 0 ? 'none' : some.map((name) => titles.get(name)).join(', '));
  const gain = (name, t) => pairedTInterval(of(name, 'starts', t), of(name, 'finals', t)).low;
  const without = names.filter((name) => [0, 1].some((t) => gain(name, t) <= 0));
  const lowest = (100 * Math.min(...names.flatMap((name) => [0, 1].map((t) => gain(name, t))))).toFixed(1);
  const below = (t) =>
    names.filter(
      (name) => name !== standard && pairedTInterval(of(standard, 'finals', t), of(name, 'finals', t)).high < 0,
    );
  const gains =
    without.length === 0
      ? `Each gains over its supervised start at both temperatures: no interval of a gain reaches below ${lowest} points.`
      : `No gain over the supervised start can be told for ${list(without)}: an interval of its gain holds 0.`;
  const compared = results.has(standard)
    ? `Below GRPO with an interval that leaves 0 out are, at temperature 0: ${list(below(0))}; at temperature 1: ${list(below(1))}. Intervals are not corrected for the number of comparisons.`
    : '';
  return [
    gains,
    compared,
    "The optimizer's rate is the quickstart's, which was chosen for GRPO: one of its own may serve another algorithm better, so read the table as what each does where it is put in the place of GRPO.",
  ].filter((text) => text !== '');
}
