// node test/collection/equal-folders.js [--orders 1,2,3] [CONFIGURATION...]
// Trains a small run in waves, with environments that answer immediately, then freely, with up to three orders of
// delays. Every file of the run's folder must be the same, except `time/...`. Prints a line for each configuration.
// Exit codes: 0 all are the same, 1 a difference.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { acceptRecipe, resolveRecipe } from '../../dist/config/resolve-recipe.js';
import { runRecipe } from '../../dist/experiments/run-recipe.js';
import { openPluginHost } from '../../dist/plugins/open-plugin-host.js';
import { readPluginSource } from '../../dist/plugins/plugin-source.js';
import { createRandom } from '../../dist/random/create-random.js';
import { compareRuns } from '../kill/compare-runs.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const packages = [
  'curriculum-standard',
  'reward-standard',
  'format-standard',
  'algo-grpo',
  'algo-reinforce',
  'policy-transformer',
];

const base = {
  recipeVersion: 1,
  name: 'collection',
  environment: { name: 'delayed' },
  policy: { name: 'transformer', preset: 'pico', options: { threads: 1 }, sampling: { maxActionTokens: 3 } },
  algorithm: { name: 'grpo', groupSize: 4 },
  horizon: { schedule: 'fixed', turns: 6 },
  stages: {
    sft: { kind: 'sft', demonstrations: { count: 40 }, steps: 8, batchSize: 10, optimizer: { learningRate: 0.01 } },
    rl: { kind: 'rl', tasksPerStep: 4, steps: 3, optimizer: { learningRate: 0.003 } },
  },
  evaluation: { every: 2, tasks: 6, temperatures: [1], final: { tasks: 8 } },
  rollout: { retries: 3, maxFailedShare: 0.5 },
  record: { episodes: 100 },
};

/** Configurations in which free collection must not be visible. */
export const configurations = {
  'kernels (pico)': {},
  'graph (nano), cache of 3 sequences': {
    policy: { ...base.policy, preset: 'nano', options: { threads: 1, cacheMegabytes: 1 } },
    evaluation: { every: 0, final: { tasks: 4, temperatures: [1] } },
  },
  'graph (nano), usual cache': {
    policy: { ...base.policy, preset: 'nano', options: { threads: 1 } },
    evaluation: { every: 0, final: { tasks: 4, temperatures: [1] } },
  },
  'two threads of the engine': { policy: { ...base.policy, options: { threads: 2 } } },
  'fewer in flight than episodes': { rollout: { ...base.rollout, inFlight: 5 } },
  '5 instances': { environment: { ...base.environment, instances: 5 } },
  'no retries': { rollout: { ...base.rollout, retries: 0 } },
  tools: { tools: [{ name: 'coin' }] },
  'greedy episodes': {
    algorithm: { name: 'reinforce', groupSize: 3, options: { baseline: 'greedy' } },
  },
  '1 worker': { environment: { ...base.environment, thread: 'worker' } },
  '2 workers': { environment: { ...base.environment, thread: 'worker', workers: 2 } },
};

async function train(changes, collection, output, order) {
  const folders = [
    ...packages.map((name) => join(repository, 'plugins', name)),
    join(import.meta.dirname, 'delayed-plugin'),
  ];
  const host = openPluginHost(await Promise.all(folders.map((folder) => readPluginSource(folder))));
  const source = { ...base, ...changes };
  const { recipe, plan } = acceptRecipe(
    await resolveRecipe({
      source: { ...source, rollout: { ...base.rollout, ...changes.rollout, collection } },
      cwd: repository,
      host,
    }),
  );
  process.env['AGENTGYM_TEST_DELAYS'] = String(order);
  const result = await runRecipe({
    plan,
    host,
    settings: {
      random: createRandom(recipe.seed),
      log: { info: () => undefined, warn: () => undefined },
      signal: new globalThis.AbortController().signal,
      cacheDirectory: resolve(output, '../cache'),
    },
    output,
    runsFolder: resolve(output, '..'),
    sourceFolder: resolve(output, '..'),
    versions: {},
    listener: () => undefined,
  });
  if (result.status !== 'completed') throw new Error(`${output} is ${result.status}`);
}

/** Every checkpoint contains the recipe. This makes its only different key equal. */
function renameCollection(run) {
  for (const entry of readdirSync(join(run, 'checkpoints'), { withFileTypes: true })) {
    const file = join(run, 'checkpoints', entry.name, 'trainer.json');
    if (!entry.isDirectory()) continue;
    writeFileSync(file, readFileSync(file, 'utf8').replace('"collection":"free"', '"collection":"waves"'));
  }
}

/** Differences between a run in waves and free runs with orders of delays; empty if there are none. */
export async function compareCollections(name, orders) {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-collection-'));
  try {
    const waves = join(folder, 'waves');
    await train(configurations[name], 'waves', waves, 0);
    const differences = [];
    for (const order of orders) {
      const free = join(folder, `free-${order}`);
      await train(configurations[name], 'free', free, order);
      renameCollection(free);
      differences.push(...compareRuns(waves, free).map((difference) => `delays ${order}: ${difference}`));
    }
    return differences;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { orders: { type: 'string', default: '1,2,3' } },
    allowPositionals: true,
  });
  const orders = values.orders.split(',').map(Number);
  for (const name of positionals.length > 0 ? positionals : Object.keys(configurations)) {
    const start = performance.now();
    const differences = await compareCollections(name, orders);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    const same = `the same under ${orders.length} orders of delays`;
    console.log(`${name}: ${differences.length === 0 ? same : 'DIFFERENT'} (${seconds} s)`);
    for (const difference of differences) console.log(`  ${difference}`);
    if (differences.length > 0) process.exitCode = 1;
  }
}
