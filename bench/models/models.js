// A model of half a billion parameters beside PyTorch with transformers and PEFT: decoding, reading a prompt, and a
// training step of a LoRA adapter. All sides alternate in one run, on processors with two threads each.
//   npm run bench -- models [--only ROW]... [--folder MODEL] [options of bench/sides/options.js]
import { alternate, startPeers, timed } from '../sides/alternate.js';
import { decodeAfterPrompt } from '../sides/decode-after-prompt.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { chosen, readOptions } from '../sides/options.js';
import { openHost } from '../sides/our-side.js';
import { rowOf } from '../sides/print-rows.js';
import { report } from '../sides/report.js';
import { openModel } from '../sides/small-model.js';
import { openHalfABillion } from './half-a-billion.js';
import { loraWork, prefillWork } from './our-side.js';

const vocabulary = 151_936;
const rank = 16;
const longest = 512;
const decode = (rows) => ({ rows, prompt: 256, fresh: 16 });

/** Each row: what both sides do, further settings of our side, and the highest ratio to PyTorch float32. */
const cases = [
  { name: 'decode, 1 row', kind: 'decode', sizes: decode(1), goal: 1.1 },
  { name: 'decode, 8 rows', kind: 'decode', sizes: decode(8), goal: 1 / 1.8 },
  { name: 'decode, 1 row, int4', kind: 'decode', sizes: decode(1), settings: { samplingWeights: 'int4' }, goal: 1 / 3 },
  {
    name: 'decode, 8 rows, int8',
    kind: 'decode',
    sizes: decode(8),
    settings: { samplingWeights: 'int8' },
    goal: 1 / 5,
  },
  { name: 'prefill of 256 tokens', kind: 'prefill', sizes: { rows: 1, prompt: 256 }, goal: 1.1 },
  {
    name: 'LoRA step of 2 x 256',
    kind: 'lora',
    sizes: { rows: 2, width: 256, rank, checkpointing: true },
    goal: 1,
  },
  {
    name: 'LoRA step of 2 x 256, no checkpointing',
    kind: 'lora',
    sizes: { rows: 2, width: 256, rank, checkpointing: false },
  },
];

const works = { decode: decodeAfterPrompt, prefill: prefillWork, lora: loraWork };
const format = (seconds) => `${seconds.toFixed(2)} s`;

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export async function measure(args) {
  const further = { rounds: { type: 'string', default: '5' }, only: { type: 'string', multiple: true } };
  const options = readOptions(args, { ...further, folder: { type: 'string' } });
  const wanted = chosen(cases, options.only);
  const { folder, python } = await openHalfABillion(options);
  const threadCounts = options.threadCounts.slice(-1);
  const peers = new Map();
  for (const dtype of options.onGpu ? ['bfloat16'] : ['float32', 'bfloat16']) {
    const [peer] = (await startPeers(python, 'models.py', { ...options, threadCounts }, [folder, dtype])).values();
    peers.set(dtype, peer);
  }
  const host = await openHost();
  const foreign = watchForeignLoad([...peers.values()].map(({ pid }) => pid));
  try {
    const rows = [];
    for (const item of wanted) {
      rows.push(...(await compareCase(item, { host, folder, peers, options, threads: threadCounts[0] })));
    }
    const [{ hello }] = peers.values();
    const peer = `PyTorch ${hello.torch} with transformers and PEFT`;
    return report('models', { foreignCores: foreign(), rows }, { options, hello, peer });
  } finally {
    for (const peer of peers.values()) peer.stop();
  }
}

async function compareCase({ name, kind, sizes, settings, goal }, { host, folder, peers, options, threads }) {
  const adapter = kind === 'lora' && { loraRank: rank };
  const all = { threads, ...options.policy, microBatchTokens: 1024, cacheMegabytes: 400, ...adapter, ...settings };
  const policy = await openModel(host, folder, { ...all, maxTokens: longest });
  try {
    const { before, run } = await works[kind](policy, { vocabulary, ...sizes });
    const sides = [{ side: 'ours', threads, repetitions: 1, run: (count) => timed(run, count, before) }];
    for (const [dtype, peer] of peers) {
      await peer.ask({ prepare: name, kind, sizes });
      const measure = (repetitions) => peer.ask({ measure: name, repetitions });
      sides.push({ side: dtype, threads, repetitions: 1, run: measure });
    }
    const results = await alternate(sides, options.rounds);
    for (const peer of peers.values()) await peer.ask({ forget: name });
    return [...peers.keys()].map((dtype) =>
      rowOf(`${name}, ${dtype}`, results, { peer: dtype, format, goal: dtype === 'float32' ? goal : undefined }),
    );
  } finally {
    await policy.dispose();
  }
}
