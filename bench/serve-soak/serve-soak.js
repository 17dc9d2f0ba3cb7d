// Serves a small model to many clients, of which one request in twenty is hostile.
//   npm run bench -- serve-soak [--minutes N] [--clients N] [--policy RUN]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { answerTo, honestRequests } from './honest-requests.js';
import { hostileRequests } from './hostile-requests.js';
import { post } from './post.js';

const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url));
/** One request in so many is hostile. */
const ONE_IN = 20;
/** By so much the last minute may need more memory than the second. */
const TOLERANCE = 0.1;
const recipe = {
  ...{ recipeVersion: 1, name: 'soak', seed: 1 },
  environment: { name: 'guess-number', options: { width: [20, 31], instructions: 'none' } },
  policy: { name: 'transformer', preset: 'pico', sampling: { maxActionTokens: 4 } },
  horizon: { schedule: 'fixed', turns: 5 },
  stages: { sft: { kind: 'sft', demonstrations: { expert: 'demonstrator', count: 100 }, steps: 10 } },
  evaluation: { every: 0, final: { tasks: 20 } },
};

/** Returns the exit code: 1 if an answer is wrong, if memory grows, or if a stream is cut without a word. */
export async function measure(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '10' },
      clients: { type: 'string', default: '64' },
      policy: { type: 'string' },
    },
  });
  if (!existsSync('/proc/self/status')) {
    console.log('skipped: only Linux tells how much memory a process uses');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-soak-'));
  const directories = Object.fromEntries(
    ['DATA', 'CACHE', 'CONFIG'].map((name) => [`AGENTGYM_${name}_DIR`, join(folder, name.toLowerCase())]),
  );
  const env = { ...process.env, ...directories };
  let server;
  try {
    const policy = values.policy === undefined ? train(folder, env) : resolve(values.policy);
    server = await serve(policy, folder, env);
    const problems = await soak(server, Number(values.minutes), Number(values.clients));
    problems.push(...(await stop(server)));
    for (const problem of problems.slice(0, 20)) console.log(`MISSED: ${problem}`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    server?.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function train(folder, env) {
  const file = join(folder, 'recipe.json');
  const output = join(folder, 'run');
  writeFileSync(file, JSON.stringify(recipe));
  const { status, stderr } = spawnSync(process.execPath, [bin, 'train', file, '--output', output, '--json'], { env });
  if (status !== 0) throw new Error(`training ended with ${status}: ${stderr}`);
  return output;
}

async function serve(policy, cwd, env) {
  const child = spawn(process.execPath, [bin, 'serve', '--policy', policy, '--port', '0', '--json'], {
    ...{ cwd, env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((done, failed) => {
    let text = '';
    child.once('exit', (code) => failed(new Error(`serve ended with ${code}: ${text}`)));
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
      if (text.includes('}')) done(JSON.parse(text).url);
    });
  });
  return { child, url };
}

/** Returns what went wrong. */
async function soak({ child, url }, minutes, clients) {
  const problems = [];
  const honest = honestRequests();
  const expected = [];
  for (const request of honest) expected.push(await answerTo(url, request));
  const hostile = [...hostileRequests(url)];
  const start = performance.now();
  const minute = () => (performance.now() - start) / 60_000;
  const looks = [];
  const timer = setInterval(
    () => looks.push({ minute: Math.floor(minute()), megabytes: residentMegabytes(child.pid) }),
    1000,
  );
  let count = 0;
  const counts = { honest: 0, hostile: 0 };
  const slowest = [];
  const client = async () => {
    while (minute() < minutes && child.exitCode === null) {
      const number = count++;
      if (number % ONE_IN === 0) {
        counts.hostile += 1;
        const [name, attack] = hostile[(number / ONE_IN) % hostile.length];
        const wrong = await attack().catch((error) => String(error));
        if (wrong !== undefined) problems.push(`${name}: ${wrong}`);
        continue;
      }
      counts.honest += 1;
      const index = number % honest.length;
      const begin = performance.now();
      const answer = await answerTo(url, honest[index]).catch((error) => `refused: ${error.message}`);
      slowest.push(performance.now() - begin);
      if (answer !== expected[index])
        problems.push(`request ${index}: ${answer.slice(0, 300)}\n  for ${expected[index].slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  clearInterval(timer);
  if (child.exitCode !== null || child.signalCode !== null) problems.push('the server has ended');
  slowest.sort((a, b) => a - b);
  const seconds = (share) => (slowest[Math.floor(share * (slowest.length - 1))] / 1000).toFixed(2);
  console.log(
    `${counts.honest} requests (median ${seconds(0.5)} s, 99 % below ${seconds(0.99)} s, longest ${seconds(1)} s), ${counts.hostile} hostile ones`,
  );
  const medians = Array.from({ length: Math.ceil(minutes) }, (_, index) =>
    medianOf(looks.filter((look) => look.minute === index)),
  );
  console.log(`resident memory of each minute: ${medians.map((megabytes) => `${megabytes} MB`).join(', ')}`);
  const [second, last] = [medians[1] ?? medians[0], medians.at(-1)];
  if (last > second * (1 + TOLERANCE))
    problems.push(`memory grew from ${second} MB in the second minute to ${last} MB in the last`);
  return problems;
}

/** Ends the server while streams are open: each must be told. Returns what went wrong. */
async function stop({ child, url }) {
  const body = Buffer.from(JSON.stringify({ prompt: 'Guess', stream: true, n: 8, max_tokens: 3500, ignore_eos: true }));
  const streams = Array.from({ length: 40 }, () =>
    post(url, '/completions', body).catch((error) => ({ text: String(error) })),
  );
  await sleep(1500);
  const exited = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await sleep(200);
  const late = await post(url, '/completions', body).catch((error) => ({ text: String(error) }));
  const ends = await Promise.all(streams);
  const code = await exited;
  const isTold = ({ text }) => text.endsWith('data: [DONE]\n\n') || /data: \{"error":.*\}\n\n$/.test(text);
  const cut = ends.filter((end) => !isTold(end));
  console.log(`at the end: ${ends.length - cut.length} of ${ends.length} streams were told, exit code ${code}`);
  return [
    ...cut.map(({ text }) => `a stream was cut: ${text.slice(-200)}`),
    ...(late.status === 503 ? [] : [`a request after SIGTERM got ${late.status}: ${late.text}`]),
    ...(code === 0 ? [] : [`the server ended with ${code}`]),
  ];
}

function residentMegabytes(pid) {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1000);
  } catch {
    return 0;
  }
}

function medianOf(looks) {
  const sorted = looks.map(({ megabytes }) => megabytes).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
