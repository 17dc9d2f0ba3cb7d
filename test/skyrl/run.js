// npm run test:skyrl: trains on a real SkyRL server with JAX on processors. A small model is supervised here, written as a
// Hugging Face folder, and served. GRPO of 15 steps must raise its success; the server is killed once and started again.
// SkyRL 0.4.0 answers in protobuf and needs Python 3.12; 0.3.0 answers in JSON, and runs on Python 3.11 once one import is
// changed. AGENTGYM_PYTHON names the Python, whose version decides.
// Exit codes: 0 it holds, or there is no such Python and nothing was done; 1 it does not hold; 2 it could not be tried.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** skyrl imports aiohttp without asking for it. */
const AIOHTTP = 'aiohttp==3.*';
const SERVERS = [
  { minor: 12, skyrl: '0.4.0', packages: ['skyrl[tinker,jax]==0.4.0', AIOHTTP], form: 'protobuf' },
  { minor: 11, skyrl: '0.3.0', packages: ['skyrl[tinker,jax]==0.3.0', AIOHTTP], form: 'JSON' },
];
const STEPS = 15;

const found = findPython();
const environment = join(repository, '.cache', `skyrl-${found?.server.skyrl}`);
const python = join(environment, 'bin', 'python');
if (found === undefined) {
  const wanted = process.env.AGENTGYM_PYTHON ?? 'python3.12 nor python3.11';
  console.log(
    `Skipped: SkyRL needs Python 3.12 or 3.11, and there is no ${wanted}. AGENTGYM_PYTHON names another one.`,
  );
} else {
  process.exitCode = await main();
}

/** The first Python for which there is a server. */
function findPython() {
  const { AGENTGYM_PYTHON: named } = process.env;
  for (const command of named === undefined ? SERVERS.map(({ minor }) => `python3.${minor}`) : [named]) {
    const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
    const server = SERVERS.find(({ minor }) => status === 0 && stdout.startsWith(`Python 3.${minor}.`));
    if (server !== undefined) return { command, server };
  }
  return undefined;
}

async function main() {
  if (!existsSync(python) && !process.argv.includes('--install')) {
    console.log(
      `SkyRL ${found.server.skyrl} is not installed: 2.5 GB to download and 6 GB on the disk, because it wants PyTorch with CUDA.`,
    );
    console.log(`npm run test:skyrl -- --install puts it into ${environment}.`);
    return 2;
  }
  if (!existsSync(python) && !install()) return 2;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-skyrl-'));
  const servers = [];
  try {
    return await tryIt(folder, servers);
  } finally {
    for (const server of servers) end(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

function install() {
  const make = [
    [found.command, ['-m', 'venv', environment]],
    [python, ['-m', 'pip', 'install', '--quiet', ...found.server.packages]],
  ];
  if (make.every(([command, args]) => spawnSync(command, args, { stdio: 'inherit' }).status === 0)) {
    if (found.server.minor < 12) importForEarlierPython();
    return true;
  }
  rmSync(environment, { recursive: true, force: true });
  return false;
}

/** pydantic takes the TypedDict of `typing` from Python 3.12 on. */
function importForEarlierPython() {
  const file = join(environment, 'lib', `python3.${found.server.minor}`, 'site-packages/skyrl/tinker/types.py');
  const lines = readFileSync(file, 'utf8').split('\n');
  const place = lines.findIndex((line) => /^from typing import .*, TypedDict$/.test(line));
  if (place < 0) throw new Error(`${file} does not import TypedDict where it did`);
  lines.splice(place, 1, lines[place].replace(', TypedDict', ''), 'from typing_extensions import TypedDict');
  writeFileSync(file, lines.join('\n'));
}

async function tryIt(folder, servers) {
  const own = {
    ...process.env,
    AGENTGYM_DATA_DIR: join(folder, 'data'),
    AGENTGYM_CACHE_DIR: join(folder, 'cache'),
    AGENTGYM_CONFIG_DIR: join(folder, 'config'),
  };
  const agentgym = (...args) => run([join(repository, 'bin', 'run.js'), ...args], folder, own);

  console.log('Supervising a small model …');
  await agentgym('plugins', 'link', join(repository, 'plugins', 'policy-tinker'));
  const base = ['--set', 'name=base', '--set', 'stages.rl.steps=5', '--set', 'stages.rl.optimizer.warmup=1'];
  await agentgym('train', join(repository, 'recipes', 'quickstart', 'recipe.yaml'), ...base, '--json');
  await agentgym('export', 'latest', '--to', 'base', '--json');

  const port = await freePort();
  writeRecipe(folder, port);
  console.log(`Starting SkyRL ${found.server.skyrl}, which answers in ${found.server.form} …`);
  servers.push(await startServer(folder, port));
  console.log(`Training ${STEPS} steps; the server is killed after the fifth …`);
  const training = agentgym('train', 'recipe.yaml', '--json');
  const restarted = killAfter(5, folder, servers, port);
  const result = JSON.parse(await training);
  await restarted;

  const steps = readFileSync(join(result.run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const gap = Math.max(...steps.map((step) => step['train/logprob_gap'] ?? 0));
  const describe = ({ high, low, rate }) => `${percent(rate)} (${percent(low)} to ${percent(high)})`;
  for (const [index, { success, temperature }] of result.evaluations.entries()) {
    const before = result.starts[index].success;
    console.log(`temperature ${temperature}: ${describe(before)} before, ${describe(success)} after`);
  }
  console.log(
    `log probabilities of sampling and training differ by ${gap.toExponential(1)} at most; ${Math.round(result.seconds)} s`,
  );
  const rises = result.evaluations.every(({ success }, index) => success.low > result.starts[index].success.rate);
  if (!rises) console.log('MISSED: success did not rise above its start with all of its interval');
  if (!(gap <= 1e-4)) console.log('MISSED: sampling and training agree to 1e-4');
  return rises && gap <= 1e-4 ? 0 : 1;
}

function writeRecipe(folder, port) {
  const recipe = {
    ...{ recipeVersion: 1, name: 'skyrl', seed: 1 },
    environment: { name: 'guess-number', options: { width: [8, 15] } },
    policy: {
      ...{ name: 'tinker', from: './base', sampling: { temperature: 1, maxActionTokens: 4 } },
      options: { url: `http://127.0.0.1:${port}`, server: 'skyrl-jax' },
    },
    algorithm: { name: 'grpo', groupSize: 16, minibatches: 4, options: { clipLow: 0.2, clipHigh: 0.28 } },
    horizon: { schedule: 'fixed', turns: 5 },
    stages: {
      rl: {
        ...{ kind: 'rl', tasksPerStep: 32, steps: STEPS },
        optimizer: { name: 'adamw', learningRate: 0.006, warmup: 3, clipNorm: 0 },
      },
    },
    evaluation: { every: STEPS, split: 'validation', tasks: 50, temperatures: [0, 1], final: { tasks: 300 } },
  };
  writeFileSync(join(folder, 'recipe.yaml'), JSON.stringify(recipe, null, 2));
}

/** Kills the server when a run has made so many steps, and starts it again on the same folder. */
async function killAfter(count, folder, servers, port) {
  for (;;) {
    const runs = readdirSync(join(folder, 'runs')).filter((name) => name.includes('-skyrl-'));
    const file = runs.length > 0 ? join(folder, 'runs', runs[0], 'metrics.jsonl') : undefined;
    const lines = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
    if (lines >= count) break;
    await sleep(500);
  }
  end(servers.pop());
  servers.push(await startServer(folder, port));
}

/** SkyRL starts its engine by `uv run`; a script in its place runs the module with the Python that has everything. */
async function startServer(folder, port) {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const uv = '#!/bin/sh\nwhile [ "$1" != "-m" ]; do shift; done\n';
  writeFileSync(
    join(bin, 'uv'),
    `${uv}if [ "$2" = skyrl.tinker.engine ]; then exec "${python}" "$@"; fi\n"${python}" "$@"\n`,
  );
  chmodSync(join(bin, 'uv'), 0o755);
  const backend = {
    max_lora_adapters: 4,
    max_lora_rank: 32,
    train_micro_batch_size: 64,
    sample_max_num_sequences: 128,
  };
  const args = [
    ...['run', 'python', '-m', 'skyrl.tinker.api', '--host', '127.0.0.1', '--port', String(port)],
    ...['--base-model', join(folder, 'base'), '--backend', 'jax', '--backend-config', JSON.stringify(backend)],
    ...['--checkpoints-base', join(folder, 'states'), '--database-url', `sqlite:///${join(folder, 'tinker.db')}`],
  ];
  const env = { ...process.env, PATH: bin + delimiter + process.env.PATH, HF_HUB_OFFLINE: '1', JAX_PLATFORMS: 'cpu' };
  const server = spawn(join(bin, 'uv'), args, { cwd: folder, env, stdio: 'ignore', detached: true });
  for (let attempt = 0; attempt < 240; attempt += 1) {
    await sleep(500);
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/healthz`).catch(() => undefined);
    if (answer?.ok) return server;
  }
  throw new Error('the server did not start within two minutes');
}

/** Kills a server with its engine. */
function end(server) {
  try {
    process.kill(-server.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function run(args, cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`agentgym ${args[1]} ended with ${code}: ${output}`));
    });
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
