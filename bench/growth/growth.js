// Tokens a second against the batch, the context and the parameters, in training and in sampling, beside PyTorch.
//   npm run bench -- growth [--only AXIS] [options of bench/sides/options.js]
import { alternate, startPeers, timed } from '../sides/alternate.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { deviceOf } from '../sides/keep-results.js';
import { decodeAfterPrompt } from '../sides/decode-after-prompt.js';
import { chosen, readOptions } from '../sides/options.js';
import { openHost, sampledLengths, trainWork } from '../sides/our-side.js';
import { trainingEnvironment } from '../sides/python-environment.js';
import { keep } from '../sides/report.js';
import { models, openModel, smallModel } from '../sides/small-model.js';

const vocabulary = 512;
const small = models['d 128 x 4'];
const [prompt, fresh] = [16, 64];
/** Tokens of a training step while the context grows. */
const stepTokens = 4096;
/** Episodes that are sampled while the context grows. */
const seats = 8;
/** Larger models are measured one side after the other, with two threads: more would not fit into the memory. */
const mostTogether = 50e6;
/** After so many repetitions, our code is compiled as it stays for a whole training. */
const warmUps = 4;
const shape = (hidden, layers, heads) => ({ hidden, layers, heads, intermediate: 3 * hidden, vocabulary });

/** What grows, and the sizes of each point. */
const axes = {
  batch: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((episodes) => ({
    ...{ x: episodes, model: small, kinds: ['train', 'decode'] },
    sizes: { prompt, fresh, episodes },
  })),
  context: [128, 256, 512, 1024, 2048, 4096].flatMap((context) => [
    {
      ...{ x: context, model: small, kinds: ['train'] },
      sizes: { prompt, fresh: context - prompt, episodes: stepTokens / context },
    },
    { ...{ x: context, model: small, kinds: ['decode'] }, sizes: { prompt: context - fresh, fresh, episodes: seats } },
  ]),
  parameters: [
    shape(64, 2, 2),
    small,
    models['d 256 x 6'],
    shape(512, 8, 8),
    shape(768, 14, 12),
    shape(1280, 24, 20),
  ].map((model) => ({
    ...{ x: parametersOf(model), model, kinds: ['train', 'decode'] },
    sizes: { prompt, fresh, episodes: seats },
  })),
};

/** Runs the whole measurement and prints its table. */
export async function measure(args) {
  const further = { rounds: { type: 'string', default: '3' }, only: { type: 'string', default: '' } };
  const options = readOptions(args, further);
  const wanted = chosen(Object.entries(axes), options.only, ([axis]) => axis);
  const host = await openHost();
  const peers = await startPeers(trainingEnvironment(options.python), 'serve.py', options);
  const [{ hello }] = peers.values();
  const foreign = watchForeignLoad([...peers.values()].map(({ pid }) => pid));
  console.log(`${deviceOf(hello.gpu)}; PyTorch ${hello.torch}. Tokens a second, and ours as a multiple of theirs.`);
  const points = [];
  try {
    for (const [axis, list] of wanted) {
      for (const { x, model, kinds, sizes } of list) {
        for (const kind of kinds) {
          const tokens = sizes.episodes * (kind === 'train' ? sizes.prompt + sizes.fresh : sizes.fresh);
          const sides = await comparePoint({ host, peers, options, kind, model, sizes });
          const [ours, theirs] = ['ours', 'torch'].map((side) => tokens / sides.get(side).seconds);
          points.push({ axis, kind, x, ours, theirs });
          const shown = [ours, theirs].map((rate) => Math.round(rate).toLocaleString('en').padStart(12)).join('');
          const ratio = (ours / theirs).toFixed(2).padStart(8);
          console.log(`${`${axis} ${x.toLocaleString('en')}`.padEnd(24)}${kind.padEnd(8)}${shown}${ratio}`);
        }
      }
    }
  } finally {
    for (const peer of peers.values()) peer.stop();
  }
  const { engine, precision } = options;
  const report = { engine, precision, torch: hello.torch, foreignCores: foreign(), points };
  keep('growth', report, options, hello.gpu);
  return 0;
}

async function comparePoint({ host, peers, options, kind, model, sizes }) {
  const { episodes } = sizes;
  const context = sizes.prompt + sizes.fresh;
  const folder = await smallModel(host, model);
  const whole = { ...model, ...sizes, new: sizes.fresh, folder, apart: true, lengths: sampledLengths(sizes) };
  // Every cache of keys and values fits: what is measured is not how a run lives with too little memory.
  const cacheMegabytes = Math.ceil((8 * episodes * (context + 32) * model.hidden * model.layers) / 1e6);

  const ourWorks = async (used) => {
    const policies = [];
    const works = [];
    for (const threads of used) {
      const policy = await openModel(host, folder, { threads, ...options.policy, maxTokens: context, cacheMegabytes });
      policies.push(policy);
      const { run, before } =
        kind === 'train'
          ? { run: await trainWork(policy, whole) }
          : decodeAfterPrompt(policy, { ...whole, rows: episodes });
      works.push({ side: 'ours', threads, repetitions: 1, run: (count) => timed(run, count, before) });
    }
    return { works, close: () => Promise.all(policies.map((policy) => policy.dispose())) };
  };
  const theirWorks = async (used) => {
    const works = [];
    for (const threads of used) {
      await peers.get(threads).ask({ prepare: kind, kind, sizes: whole });
      const run = (repetitions) => peers.get(threads).ask({ measure: kind, repetitions });
      works.push({ side: 'torch', threads, repetitions: 1, run });
    }
    return { works, close: () => Promise.all(used.map((threads) => peers.get(threads).ask({ forget: kind }))) };
  };

  const all = [...peers.keys()];
  if (parametersOf(model) <= mostTogether) {
    const [ours, theirs] = [await ourWorks(all), await theirWorks(all)];
    const sides = await alternate([...ours.works, ...theirs.works], options.rounds, warmUps);
    await ours.close();
    await theirs.close();
    return sides;
  }
  const sides = new Map();
  for (const open of [ourWorks, theirWorks]) {
    const { works, close } = await open(all.slice(-1));
    for (const [side, figure] of await alternate(works, options.rounds)) sides.set(side, figure);
    await close();
  }
  return sides;
}

function parametersOf({ hidden, layers, intermediate }) {
  const matrices = 4 * hidden * hidden + 3 * hidden * intermediate;
  return layers * (matrices + 2 * hidden) + (vocabulary + 1) * hidden;
}
