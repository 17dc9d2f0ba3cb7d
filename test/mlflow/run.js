// npm run test:mlflow: sends runs to a real MLflow 3.18.0 server and compares what it then has with the files of the runs.
// The server is away while one run is trained, and is killed and started again during another; a training is killed and
// resumed; an ablation of two cells is sent. Exit codes: 0 it holds, or there is no Python and nothing was done; 1 it does
// not hold; 2 it could not be tried.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { compareAblation, compareRun } from './compare.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const environment = join(repository, '.cache', 'mlflow-3.18.0');
const python = join(environment, 'bin', 'python');
const SHORT = {
  'stages.sft.steps': 20,
  'stages.rl.optimizer.warmup': 1,
  'evaluation.every': 10,
  'evaluation.tasks': 20,
  'evaluation.final.tasks': 40,
  'checkpoint.every': 5,
};

const found = process.env.AGENTGYM_PYTHON ?? 'python3';
const version = /Python 3\.(\d+)/.exec(spawnSync(found, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1];
if (version === undefined || Number(version) < 10) {
  console.log(
    `Skipped: MLflow 3.18.0 needs Python 3.10 or later, and ${found} is none. AGENTGYM_PYTHON names another.`,
  );
} else {
  process.exitCode = await main();
}

async function main() {
  if (!existsSync(python) && !process.argv.includes('--install')) {
    console.log('MLflow 3.18.0 is not installed: 240 MB to download and 860 MB on the disk.');
    console.log(`npm run test:mlflow -- --install puts it into ${environment}.`);
    return 2;
  }
  if (!existsSync(python) && !install()) return 2;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-mlflow-'));
  const servers = [];
  try {
    return await tryIt(folder, servers);
  } finally {
    for (const server of servers) await end(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The package `mlflow` holds all of MLflow. A registry may not have the other two of the same version yet. */
function install() {
  const make = [
    [found, ['-m', 'venv', environment]],
    [python, ['-m', 'pip', 'install', '--quiet', 'mlflow==3.17.2']],
    [python, ['-m', 'pip', 'install', '--quiet', '--no-deps', 'mlflow==3.18.0']],
  ];
  if (make.every(([command, args]) => spawnSync(command, args, { stdio: 'inherit' }).status === 0)) return true;
  rmSync(environment, { recursive: true, force: true });
  return false;
}

async function tryIt(folder, servers) {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const tracked = { MLFLOW_TRACKING_URI: address, MLFLOW_EXPERIMENT_NAME: 'agentgym test' };
  const agentgym = (args, env = tracked) => start(args, folder, env);
  const restart = async () => servers.push(await startServer(folder, port));
  const train = (name, tracking, more = {}) => [
    ...['train', join(repository, 'recipes', 'quickstart', 'recipe.yaml'), '--output', join('runs', name), '--json'],
    ...sets({ ...SHORT, name, 'stages.rl.steps': 10, tracking, ...more }),
  ];
  const wrong = [];
  const check = (what, complaints) => {
    wrong.push(...complaints);
    console.log(`  ${what}${complaints.length === 0 ? '' : `: MISSED\n    ${complaints.join('\n    ')}`}`);
  };

  console.log('1. No server while a run is trained; `runs track` sends it afterwards.');
  const away = await agentgym(train('away', '[mlflow]'));
  check('the training ends well', away.code === 0 ? [] : [`it ended with ${away.code}: ${away.errors}`]);
  const warned = away.errors.match(/MLflow: /g)?.length ?? 0;
  check('one warning during the run and one at its end', warned === 2 ? [] : [`${warned} warnings: ${away.errors}`]);
  check(
    'no file of TensorBoard',
    readdirSync(join(folder, 'runs/away')).filter((name) => name.includes('tfevents')),
  );
  await restart();
  const sent = await agentgym(['runs', 'track', 'runs/away', '--json']);
  check('runs track', sent.code === 0 ? [] : [sent.output]);
  await compare('away');
  const again = JSON.parse((await agentgym(['runs', 'track', 'runs/away', '--json'])).output).tracked[0];
  check(
    'a second runs track sends nothing',
    again.points === 0 && again.artifacts === 0 ? [] : [JSON.stringify(again)],
  );

  console.log('2. The server is killed during a run, and started again.');
  const broken = agentgym(train('broken', '[tensorboard, mlflow]', { 'stages.rl.steps': 40 }));
  await lines(folder, 'broken', 24);
  await end(servers.pop());
  await lines(folder, 'broken', 30);
  await restart();
  const after = await lines(folder, 'broken', 0);
  const ended = await broken;
  check(`the server was away for steps 24 to ${after} of 60`, ended.code === 0 ? [] : [ended.output + ended.errors]);
  console.log(`    ${ended.errors.trim().split('\n').join('\n    ')}`);
  if (/Not everything could be sent/.test(ended.errors)) {
    // A busy machine starts the server slower than it trains.
    const rest = await agentgym(['runs', 'track', 'runs/broken', '--json']);
    check('the server was back too late, and runs track sends the rest', rest.code === 0 ? [] : [rest.output]);
  }
  await compare('broken');

  console.log('3. A training is killed between two checkpoints, and resumed.');
  const killed = agentgym(train('killed', '[mlflow]', { 'stages.rl.steps': 20 }));
  await lines(folder, 'killed', 28);
  await sleep(2500);
  process.kill(killed.pid, 'SIGKILL');
  await killed;
  const reached = await lines(folder, 'killed', 0);
  const resumed = await agentgym(['train', '--resume', 'runs/killed', '--json']);
  check(`killed after step ${reached}, resumed`, resumed.code === 0 ? [] : [resumed.output + resumed.errors]);
  const { fromStep } = manifestOf('killed').sessions[1];
  // Wall time is measured again, and MLflow keeps what it got first.
  await compare('killed', { repeated: { from: fromStep, to: reached } });

  console.log('4. The numbers are the same without tracking.');
  await agentgym(train('plain', '[]', { 'stages.rl.steps': 20, name: 'killed' }), {});
  check('20 steps of sft and 20 of rl', numbers('plain') === numbers('killed') ? [] : ['the metrics differ']);

  console.log('5. An ablation: two cells with one seed without MLflow, then with MLflow and one seed more.');
  const recipe = join(repository, 'recipes', 'quickstart', 'recipe.yaml');
  const grid = [
    'ablate',
    'sparsity',
    '--recipe',
    recipe,
    '--values',
    '[sparse, dense]',
    '--output',
    'runs/grid',
    '--json',
  ];
  const settings = { ...SHORT, 'stages.rl.steps': 5 };
  await agentgym([...grid, '--seeds', '1', ...sets(settings)], {});
  const ablated = await agentgym([...grid, '--seeds', '2', ...sets({ ...settings, tracking: '[mlflow]' })]);
  check('the same folder continues', ablated.code === 0 ? [] : [ablated.output + ablated.errors]);
  const report = await compareAblation(address, join(folder, 'runs/grid'));
  check(report.what, report.wrong);

  console.log(wrong.length === 0 ? 'It holds.' : `MISSED: ${wrong.length}`);
  return wrong.length === 0 ? 0 : 1;

  async function compare(name, options) {
    const compared = await compareRun(address, join(folder, 'runs', name), options);
    check(compared.what, compared.wrong);
  }

  function manifestOf(name) {
    return JSON.parse(readFileSync(join(folder, 'runs', name, 'manifest.json'), 'utf8'));
  }

  /** The metrics of a run without those of time. */
  function numbers(name) {
    const text = readFileSync(join(folder, 'runs', name, 'metrics.jsonl'), 'utf8').trim();
    return JSON.stringify(
      text.split('\n').map((line) => Object.entries(JSON.parse(line)).filter(([key]) => !key.startsWith('time/'))),
    );
  }
}

function sets(settings) {
  return Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
}

/** Waits until a run has written so many metrics lines; tells how many there are. */
async function lines(folder, name, count) {
  const file = join(folder, 'runs', name, 'metrics.jsonl');
  for (;;) {
    const there = existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
    if (there >= count) return there;
    await sleep(100);
  }
}

async function startServer(folder, port) {
  const log = [];
  const args = [
    ...['-W', 'ignore', '-m', 'mlflow', 'server', '--host', '127.0.0.1', '--port', String(port), '--workers', '1'],
    ...['--backend-store-uri', `sqlite:///${join(folder, 'mlflow.db')}`],
    ...['--artifacts-destination', join(folder, 'artifacts')],
  ];
  const server = spawn(python, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => log.push(String(text)));
  for (let attempt = 0; attempt < 600; attempt += 1) {
    await sleep(500);
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}: ${log.join('')}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.ok) return server;
  }
  throw new Error('the server did not start within five minutes');
}

/** Kills a server with its workers, and waits until its port is free. */
async function end(server) {
  const closed = new Promise((resolve) => server.once('close', resolve));
  try {
    process.kill(-server.pid, 'SIGKILL');
    await closed;
  } catch {
    // It has ended.
  }
}

/** Starts a command. What it returns has the process id, and becomes exit code and output. */
function start(args, cwd, env) {
  const { MLFLOW_TRACKING_URI: _, ...rest } = process.env;
  const child = spawn(process.execPath, [join(repository, 'bin', 'run.js'), ...args], {
    cwd,
    env: { ...rest, ...env },
  });
  const [output, errors] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text) => output.push(text));
  child.stderr.setEncoding('utf8').on('data', (text) => errors.push(text));
  const done = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: output.join(''), errors: errors.join('') }));
  });
  return Object.assign(done, { pid: child.pid });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
