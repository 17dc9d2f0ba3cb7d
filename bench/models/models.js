// A model of half a billion parameters, or that of a folder, beside PyTorch with transformers and PEFT: decoding, reading a
// prompt, and a training step of a LoRA adapter. That of a folder also beside llama.cpp. All sides alternate in one run, on
// processors with two threads each.
//   npm run bench -- models [--only ROW]... [--folder MODEL] [options of bench/sides/options.js]
// MODEL is a folder, or what `agentgym pull` takes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { alternate, startPeers, timed } from '../sides/alternate.js';
import { decodeAfterPrompt } from '../sides/decode-after-prompt.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { peerTypes } from '../sides/instructions.js';
import { openLanguageModel } from '../sides/language-model.js';
import { chosen, readOptions } from '../sides/options.js';
import { openHost } from '../sides/our-side.js';
import { milliseconds, printHead, printRow, rowOf } from '../sides/print-rows.js';
import { profileOf } from '../sides/profile.js';
import { headOf, report } from '../sides/report.js';
import { openModel } from '../sides/small-model.js';
import { compareFastest, printFastestHead, startLlama } from './fastest-types.js';
import { openHalfABillion } from './half-a-billion.js';
import { episodesWork, loraWork, prefillWork } from './our-side.js';

const rank = 16;
const longest = 512;
/** Of works that take seconds. */
const warmUps = 1;
const decode = (rows) => ({ rows, prompt: 256, fresh: 16 });
const from = (samplingWeights) => ({ settings: { samplingWeights } });

/**
 * Each row: what both sides do, further settings of our side, and the highest ratio to PyTorch float32.
 * Of a model of half a billion parameters with random weights, without `--folder`:
 */
const ofHalfABillion = [
  { name: 'decode, 1 row', kind: 'decode', sizes: decode(1), goal: 1.1 },
  { name: 'decode, 8 rows', kind: 'decode', sizes: decode(8), goal: 1 / 1.8 },
  { name: 'decode, 1 row, int4', kind: 'decode', sizes: decode(1), ...from('int4'), goal: 1 / 3 },
  { name: 'decode, 8 rows, int8', kind: 'decode', sizes: decode(8), ...from('int8'), goal: 1 / 5 },
  { name: 'prefill of 256 tokens', kind: 'prefill', sizes: { rows: 1, prompt: 256 }, goal: 1.1 },
  { name: 'LoRA step of 2 x 256', kind: 'lora', sizes: { rows: 2, width: 256, rank, checkpointing: true }, goal: 1 },
  {
    name: 'LoRA step of 2 x 256, no checkpointing',
    kind: 'lora',
    sizes: { rows: 2, width: 256, rank, checkpointing: false },
  },
];

/**
 * Of a small language model, such as SmolLM2-135M. It is sampled as `evaluate` and `serve` open it, unless the row says otherwise.
 * PyTorch keeps its activations, which is faster.
 */
const ofFolder = [
  { name: 'decode, 1 row', kind: 'decode', sizes: decode(1), goal: 0.5 },
  { name: 'decode, 8 rows', kind: 'decode', sizes: decode(8), goal: 0.35 },
  { name: 'decode, 32 rows', kind: 'decode', sizes: decode(32), goal: 0.45 },
  // As in training of the whole model.
  { name: 'decode, 8 rows, in training', kind: 'decode', sizes: decode(8), samplesOnly: false },
  { name: 'decode, 32 rows, in training', kind: 'decode', sizes: decode(32), samplesOnly: false },
  // As in training of an adapter, which only our side has: the base never changes, and is packed once.
  { name: 'decode, 1 row, adapter', kind: 'decode', sizes: decode(1), settings: { loraRank: rank }, goal: 0.5 },
  { name: 'decode, 8 rows, adapter', kind: 'decode', sizes: decode(8), settings: { loraRank: rank }, goal: 0.35 },
  { name: 'decode, 32 rows, adapter', kind: 'decode', sizes: decode(32), settings: { loraRank: rank }, goal: 0.45 },
  { name: 'decode, 8 rows, int8', kind: 'decode', sizes: decode(8), ...from('int8'), goal: 0.25 },
  { name: 'decode, 32 rows, int8', kind: 'decode', sizes: decode(32), ...from('int8'), goal: 0.3 },
  { name: 'decode, 1 row, int4', kind: 'decode', sizes: decode(1), ...from('int4') },
  { name: 'prefill of 256 tokens', kind: 'prefill', sizes: { rows: 1, prompt: 256 }, goal: 0.8 },
  { name: 'LoRA step of 8 x 128', kind: 'lora', sizes: { rows: 8, width: 128, rank, checkpointing: false }, goal: 0.7 },
  {
    name: 'LoRA step of 2 x 512',
    kind: 'lora',
    sizes: { rows: 2, width: 512, rank, checkpointing: false },
    goal: 0.85,
  },
  {
    name: 'LoRA step of 48 ragged episodes',
    kind: 'episodes',
    sizes: { groups: 6, groupSize: 8, shared: 70, width: 125, trained: 11, rank },
    goal: 0.5,
  },
];

/** Beside llama.cpp on processors, each side in its fastest type. A goal is the least ratio of tokens a second. */
const inFastestTypes = [
  { name: 'decode, 1 row, fastest', kind: 'decode', sizes: decode(1), goal: 1 },
  { name: 'decode, 8 rows, fastest', kind: 'decode', sizes: decode(8), goal: 1.3 },
  { name: 'decode, 32 rows, fastest', kind: 'decode', sizes: decode(32), goal: 2 },
  { name: 'prefill of 256 tokens, fastest', kind: 'prefill', sizes: { rows: 1, prompt: 256 }, goal: 0.6 },
].map((item) => ({ ...item, isFastest: true }));

const works = { decode: decodeAfterPrompt, prefill: prefillWork, lora: loraWork, episodes: episodesWork };
const format = (seconds) => (seconds < 1 ? milliseconds(seconds) : `${seconds.toFixed(2)} s`);

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export async function measure(args) {
  const further = { rounds: { type: 'string', default: '5' }, only: { type: 'string', multiple: true } };
  const options = readOptions(args, { ...further, folder: { type: 'string' } });
  const cases = options.folder === undefined ? ofHalfABillion : [...ofFolder, ...(options.onGpu ? [] : inFastestTypes)];
  const wanted = chosen(cases, options.only);
  const [plain, fastest] = [false, true].map((is) => wanted.filter(({ isFastest = false }) => isFastest === is));
  const model = options.folder === undefined ? undefined : openLanguageModel(options.folder);
  const { folder, python } = await openHalfABillion({ ...options, folder: model?.folder });
  const vocabulary = vocabularyOf(folder);
  const threadCounts = options.threadCounts.slice(-1);
  const peers = new Map();
  for (const dtype of options.onGpu ? ['bfloat16'] : peerTypes()) {
    const [peer] = (await startPeers(python, 'models.py', { ...options, threadCounts }, [folder, dtype])).values();
    peers.set(dtype, peer);
  }
  const llama = fastest.length > 0 ? await startLlama(folder, threadCounts[0]) : new Map();
  const host = await openHost();
  const all = [...peers.values(), ...llama.values()];
  const foreign = watchForeignLoad(all.map(({ pid }) => pid));
  try {
    const [{ hello }] = peers.values();
    const about = {
      options: { ...options, threadCounts },
      hello,
      peer: `PyTorch ${hello.torch} with transformers and PEFT`,
    };
    if (plain.length > 0) printHead(headOf(about), false);
    else console.log(headOf(about));
    const rows = [];
    const context = { host, folder, vocabulary, peers, options, threads: threadCounts[0] };
    const missed = [];
    for (const item of plain) {
      const own = await compareCase(item, context);
      rows.push(...own);
      if (own.some(({ ratio, goal = Infinity }) => ratio > goal)) missed.push(item);
    }
    if (llama.size > 0) printFastestHead();
    for (const item of llama.size > 0 ? fastest : []) {
      const settings = settingsOf(options);
      const work = works[item.kind];
      rows.push(await compareFastest({ ...item, work }, { ...context, settings, llama, rounds: options.rounds }));
    }
    const foreignCores = foreign();
    const profile = options.engine === 'auto' && !options.onGpu ? await profiles(missed, context) : [];
    const measurement = ['models', model?.name].filter((part) => part !== undefined).join(' ');
    const facts = { model: model?.name, foreignCores, rows, profile };
    return report(measurement, facts, { ...about, arePrinted: true });
  } finally {
    for (const peer of all) void peer.stop();
  }
}

/** Where our time goes in these rows. */
async function profiles(items, { folder, vocabulary, options }) {
  const lines = items.length > 0 ? ['Where our time goes in the rows that miss a goal, on one thread:'] : [];
  for (const { name, kind, sizes, settings, samplesOnly = isSampling(kind) } of items) {
    const { maxTokens, ...further } = settingsOf(options, { sizes, settings });
    const make = (policy) => works[kind](policy, { vocabulary, ...sizes });
    const counts = { warmUps: 1, repetitions: 1 };
    const of = { folder, maxTokens, further, uses: { samplesOnly }, make };
    lines.push(`  ${await profileOf(name, { ...of, ...counts })}`);
  }
  return lines;
}

async function compareCase(
  { name, kind, sizes, settings, goal, samplesOnly = isSampling(kind) },
  { host, folder, vocabulary, peers, options, threads },
) {
  const own = { ...settingsOf(options, { sizes, settings }), threads };
  const policy = await openModel(host, folder, own, { samplesOnly });
  try {
    const { before, run } = await works[kind](policy, { vocabulary, ...sizes });
    const sides = [{ side: 'ours', threads, repetitions: 1, run: (count) => timed(run, count, before) }];
    for (const [dtype, peer] of peers) {
      await peer.ask({ prepare: name, kind, sizes });
      const measure = (repetitions) => peer.ask({ measure: name, repetitions });
      sides.push({ side: dtype, threads, repetitions: 1, run: measure });
    }
    const results = await alternate(sides, options.rounds, warmUps);
    for (const peer of peers.values()) await peer.ask({ forget: name });
    return [...peers.keys()].map((dtype) => {
      const row = rowOf(`${name}, ${dtype}`, results, {
        ...{ peer: dtype, format },
        goal: dtype === 'float32' ? goal : undefined,
      });
      printRow(row);
      return row;
    });
  } finally {
    await policy.dispose();
  }
}

/** Works for which a model is opened as `agentgym evaluate` opens it, which knows that nothing is trained. */
const isSampling = (kind) => kind === 'decode' || kind === 'prefill';

/** Options of our policy in a row. */
function settingsOf(options, { sizes = {}, settings = {} } = {}) {
  const adapter = 'rank' in sizes ? { loraRank: rank } : {};
  return {
    ...options.policy,
    microBatchTokens: 1024,
    cacheMegabytes: 400,
    maxTokens: longest,
    ...adapter,
    ...settings,
  };
}

function vocabularyOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).vocab_size;
}
