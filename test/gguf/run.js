// npm run test:gguf: opens exported GGUF files in llama.cpp. Small models of each architecture, and one that a run trained,
// must get the same log probabilities there as here, and texts the same ids. AGENTGYM_LLAMA_SERVER names a program
// `llama-server`: then `agentgym evaluate` plays with the exported model behind it, too.
// Exit codes: 0 it holds, or there is no llama.cpp for this machine and nothing was done; 1 it does not hold; 2 it could not be tried.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const VERSION = '3.22.1';
const packages = join(repository, '.cache', `node-llama-cpp-${VERSION}`);
/** The packages with llama.cpp for processors. */
const builds = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'mac-x64',
  'darwin-arm64': 'mac-arm64-metal',
  'win32-x64': 'win-x64',
};
/** Largest differences of log probabilities: of float32 as between two orders of summation, of others as they are rounded. */
const MOST = { float32: 1e-4, float16: 0.02, bfloat16: 0.1, q8_0: 0.2 };
const texts = ['Guess my number between 4 and 33.', 'higher, 19 to 33\n\n  then', "I'll say «día» 3456 🙂", ' '];
const recipe = {
  ...{ recipeVersion: 1, name: 'gguf', seed: 1 },
  environment: { name: 'guess-number', options: { width: [8, 15] } },
  policy: {
    ...{ name: 'transformer', preset: 'pico', sampling: { maxActionTokens: 6 } },
    options: { tokenizer: 'bytes', vocabularySize: 400 },
  },
  horizon: { schedule: 'fixed', turns: 5 },
  stages: { sft: { kind: 'sft', demonstrations: { expert: 'oracle', count: 300 }, steps: 150 } },
  evaluation: { every: 0, final: { tasks: 20 } },
};

const build = builds[`${process.platform}-${process.arch}`];
if (build === undefined) {
  console.log(`Skipped: node-llama-cpp ${VERSION} has no llama.cpp for ${process.platform} on ${process.arch}.`);
} else {
  process.exitCode = await main();
}

async function main() {
  const isInstalled = existsSync(join(packages, 'node_modules', 'node-llama-cpp'));
  if (!isInstalled && !process.argv.includes('--install')) {
    console.log('node-llama-cpp is not installed: 90 MB on the disk, with llama.cpp for processors.');
    console.log(`npm run test:gguf -- --install puts it into ${packages}.`);
    return 2;
  }
  if (!isInstalled && !install()) return 2;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-gguf-'));
  try {
    return await tryIt(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function install() {
  mkdirSync(packages, { recursive: true });
  writeFileSync(join(packages, 'package.json'), '{"private": true}\n');
  const names = [`node-llama-cpp@${VERSION}`, `@node-llama-cpp/${build}@${VERSION}`];
  const flags = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...flags, ...names], {
    cwd: packages,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return true;
  rmSync(packages, { recursive: true, force: true });
  return false;
}

async function tryIt(folder) {
  const models = JSON.parse(await run([script('gguf', 'write-models.js'), folder], folder));
  const own = Object.fromEntries(
    ['DATA', 'CACHE', 'CONFIG'].map((kind) => [`AGENTGYM_${kind}_DIR`, join(folder, kind.toLowerCase())]),
  );
  const environment = { ...process.env, ...own };
  const agentgym = (...args) => run([join(repository, 'bin', 'run.js'), ...args], folder, environment);
  console.log('Training a small model …');
  writeFileSync(join(folder, 'recipe.yaml'), JSON.stringify(recipe));
  await agentgym('train', 'recipe.yaml', '--output', 'runs/small', '--json');
  await agentgym('export', 'runs/small', '--to', 'small', '--json');
  await agentgym('export', 'runs/small', '--to', 'small.gguf', '--format', 'gguf', '--json');
  models.push({ name: 'trained', folder: join(folder, 'small'), file: join(folder, 'small.gguf'), dtype: 'float32' });

  let holds = true;
  for (const { dtype, file, folder: from, name, published } of models) {
    const ours = published
      ? []
      : JSON.parse(await run([script('transformers', 'our-logits.js'), from], folder)).sequences;
    const sequences = ours.map(({ tokens }) => tokens);
    const input = JSON.stringify({ sequences, texts });
    const theirs = JSON.parse(
      await run([script('gguf', 'llama-numbers.js'), packages, file], folder, process.env, input),
    );
    const ids = await run([script('gguf', 'our-ids.js'), from], folder, process.env, input);
    const hasSameIds = JSON.stringify(theirs.ids) === ids;
    const gaps = ours.map(({ logits }, row) => largestGap(logits.map(logSoftmax), theirs.logprobs[row]));
    const most = Math.max(0, ...gaps);
    const tokens = sequences.reduce((sum, { length }) => sum + length, 0);
    if (published) console.log(`${name}: the ids of ${texts.length} texts`);
    else
      console.log(`${name}, ${dtype}: ${tokens} tokens, log probabilities differ by ${most.toExponential(1)} at most`);
    if (!(most <= MOST[dtype])) console.log(`MISSED: at most ${MOST[dtype]}`);
    if (!hasSameIds) console.log(`MISSED: ${ids} here are ${JSON.stringify(theirs.ids)} there`);
    holds &&= most <= MOST[dtype] && hasSameIds;
  }
  const server = process.env.AGENTGYM_LLAMA_SERVER;
  if (server === undefined) console.log('AGENTGYM_LLAMA_SERVER names no llama-server, so nothing was played.');
  else holds = (await play(server, folder, agentgym)) && holds;
  return holds ? 0 : 1;
}

/** A greedy model wins the same games behind llama.cpp's server as in its run. */
async function play(program, folder, agentgym) {
  const port = await freePort();
  const server = spawn(program, ['-m', 'small.gguf', '--port', String(port), '-c', '4096', '-np', '4', '--no-webui'], {
    cwd: folder,
    stdio: 'ignore',
  });
  try {
    for (let tries = 0; tries < 300; tries += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      if (answer?.ok) break;
      await sleep(200);
    }
    await agentgym('plugins', 'link', join(repository, 'plugins', 'policy-openai'));
    const common = ['--tasks', '100', '--split', 'test', '--json'];
    const own = JSON.parse(await agentgym('evaluate', 'runs/small', ...common));
    const flags = [
      '--environment',
      'guess-number',
      '--option',
      'width=[8,15]',
      '--turns',
      '5',
      '--policy-option',
      'maxTokens=6',
    ];
    const there = JSON.parse(await agentgym('evaluate', `openai:http://127.0.0.1:${port}/v1`, ...flags, ...common));
    const [here, served] = [own, there].map(({ evaluation }) => evaluation.success.rate);
    console.log(`llama-server: ${100 * served} % of 100 games won, and ${100 * here} % here`);
    if (Math.abs(here - served) > 0.02) console.log('MISSED: the same games are won');
    return Math.abs(here - served) <= 0.02;
  } finally {
    server.kill('SIGKILL');
  }
}

function largestGap(ours, theirs) {
  return Math.max(...ours.flatMap((row, place) => row.map((logprob, id) => Math.abs(logprob - theirs[place][id]))));
}

function logSoftmax(row) {
  const most = Math.max(...row);
  const sum = row.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return row.map((logit) => logit - most - Math.log(sum));
}

function script(...names) {
  return join(repository, 'test', ...names);
}

function run(args, cwd, env = process.env, input = '') {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (part) => (output += part));
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${args.join(' ')} ended with ${code}`)),
    );
    child.stdin.end(input);
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
