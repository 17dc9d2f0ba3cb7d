// npm run test:ray: trains a grid of eight cells on a real Ray head of this machine, without and with a token. The process
// of one job is killed. The table must be that of the same grid without Ray. The head is stopped by its process group.
// Exit codes: 0 it holds, or there is no Python for Ray and nothing was done; 1 it does not hold; 2 it could not be tried.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { compareRuns } from '../kill/compare-runs.js';
import { findProcessesWith } from '../kill/find-processes.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(repository, 'bin', 'run.js');
const environment = join(repository, '.cache', 'ray-2.60.0');
const python = join(environment, 'bin', 'python');
const TOKEN = 'a-token-of-the-test-that-is-long-enough-for-ray';
/** A grid of eight cells, each trained for seconds. */
const GRID = {
  ...{ ablationVersion: 1, name: 'eight', recipe: join(repository, 'recipes/quickstart/recipe.yaml'), seeds: 1 },
  set: {
    ...{ 'stages.sft.optimizer.warmup': 1, 'stages.rl.steps': 6, 'stages.rl.optimizer.warmup': 1 },
    ...{ 'evaluation.every': 3, 'evaluation.tasks': 10, 'evaluation.final.tasks': 20 },
  },
  grid: {
    'algorithm.groupSize': [4, 8],
    'stages.rl.optimizer.learningRate': [0.002, 0.004],
    'stages.sft.steps': [8, 12],
  },
};

const found = process.env.AGENTGYM_PYTHON ?? 'python3';
const version = spawnSync(found, ['-c', 'import sys; print(sys.version_info >= (3, 10))'], { encoding: 'utf8' });
if (version.stdout?.trim() !== 'True') {
  console.log(`Skipped: Ray 2.60 needs Python 3.10 or newer, and ${found} is not. AGENTGYM_PYTHON names another one.`);
} else {
  process.exitCode = await main();
}

async function main() {
  if (!existsSync(python) && !process.argv.includes('--install')) {
    console.log('Ray is not installed: 110 MB to download and 400 MB on the disk.');
    console.log(`npm run test:ray -- --install puts it into ${environment}.`);
    return 2;
  }
  if (!existsSync(python) && !install()) return 2;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-ray-'));
  try {
    writeFileSync(join(folder, 'grid.json'), JSON.stringify(GRID));
    console.log('Training eight cells without Ray …');
    const near = JSON.parse(await agentgym(folder, {}, 'ablate', 'grid.json', '--output', 'near', '--json'));
    let missed = 0;
    for (const token of [undefined, TOKEN]) missed += await onHead(folder, near, token);
    return missed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function install() {
  const make = [
    [found, ['-m', 'venv', environment]],
    [python, ['-m', 'pip', 'install', '--quiet', 'ray[default]==2.60.0']],
  ];
  if (make.every(([command, args]) => spawnSync(command, args, { stdio: 'inherit' }).status === 0)) return true;
  rmSync(environment, { recursive: true, force: true });
  return false;
}

/** Trains the grid on a head, and returns how much was missed. */
async function onHead(folder, near, token) {
  const [port, dashboard] = [await freePort(), await freePort()];
  const name = token === undefined ? 'without-token' : 'with-token';
  const own = token === undefined ? { RAY_AUTH_MODE: 'disabled' } : { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: token };
  console.log(`Starting a head ${name.replace('-', ' a ')} …`);
  // A socket in a longer path would be refused.
  const files = mkdtempSync(join(tmpdir(), 'ray-'));
  const log = openSync(join(folder, `${name}.log`), 'w');
  const address = ['--port', `${port}`, '--dashboard-port', `${dashboard}`, '--temp-dir', files];
  const args = ['start', '--head', '--num-cpus=4', ...address, '--disable-usage-stats', '--block'];
  const head = spawn(join(environment, 'bin', 'ray'), args, {
    env: { ...process.env, ...own },
    stdio: ['ignore', log, log],
    detached: true,
  });
  try {
    const url = `http://127.0.0.1:${dashboard}`;
    await answers(`${url}/api/version`, token, join(folder, `${name}.log`));
    const flags = ['--runner', 'ray', '--address', url, '--runner-option', `command=node ${bin}`, '--json'];
    const ablate = ['ablate', 'grid.json', '--output', name, ...flags, '--workers', '3'];
    let missed = 0;
    if (token !== undefined) {
      const refused = spawnSync(process.execPath, [bin, ...ablate], {
        cwd: folder,
        env: { ...process.env, RAY_AUTH_TOKEN: 'wrong' },
        encoding: 'utf8',
      });
      missed += expectThat('a wrong token is refused with exit code 2', refused.status === 2, refused.stderr);
    }
    const begun = performance.now();
    const training = agentgym(folder, token === undefined ? {} : { RAY_AUTH_TOKEN: token }, ...ablate);
    const killed = await killJob(url, token);
    const far = JSON.parse(await training);
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`${far.cells.length} cells: ${far.status} after ${seconds} s; process ${killed} of a job was killed`);
    missed += expectThat('the table is that of the grid without Ray', tableOf(far) === tableOf(near));
    const differences = far.cells.flatMap(({ id }) => {
      const run = join('cells', id, 'seed-1');
      return compareRuns(join(folder, 'near', run), join(folder, name, run));
    });
    missed += expectThat('all files of all runs are equal but for times', differences.length === 0, differences[0]);
    return missed;
  } finally {
    try {
      process.kill(-head.pid, 'SIGTERM');
      await sleep(3000);
      process.kill(-head.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    rmSync(files, { recursive: true, force: true, maxRetries: 5 });
  }
}

function expectThat(what, holds, details = '') {
  console.log(`${holds ? 'holds' : 'MISSED'}: ${what}${holds || !details ? '' : `: ${details}`}`);
  return holds ? 0 : 1;
}

/** Everything of a result but times and folders. */
function tableOf({ answer, cells, comparisons, effects, status }) {
  const shown = cells.map(({ id, success, spent: { seconds: _, ...spent } }) => ({ id, success, spent }));
  return JSON.stringify({ answer, comparisons, effects, status, shown });
}

/** Kills the process of a job, once two have begun. Returns its id. */
async function killJob(url, token) {
  for (;;) {
    const jobs = await get(`${url}/api/jobs/`, token);
    if (jobs.filter(({ status }) => status === 'RUNNING').length >= 2) break;
    await sleep(500);
  }
  await sleep(6000);
  // The shell around it has one long argument.
  const [pid] = findProcessesWith([bin, 'work', 'job']);
  process.kill(pid, 'SIGKILL');
  return pid;
}

async function get(url, token) {
  const response = await fetch(url, token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

async function answers(url, token, log) {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    if ((await get(url, token).catch(() => undefined)) !== undefined) return;
    await sleep(1000);
  }
  throw new Error(`The head did not start within two minutes:\n${readFileSync(log, 'utf8').slice(-2000)}`);
}

function agentgym(cwd, variables, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd,
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`agentgym ${args[0]} ended with ${code}: ${output}`));
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
