// Compares training steps with eager PyTorch: forward, backward, clipping and AdamW.
//   npm run bench -- engine [--rounds N] [--engine NAME] [--python PATH] [--json FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { alternate, startPeers, threadCounts, timed } from '../sides/alternate.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { deviceOf, keepResults } from '../sides/keep-results.js';
import { openHost, sampledLengths, trainWork } from '../sides/our-side.js';
import { exitCodeOf, milliseconds, printRows, rowOf } from '../sides/print-rows.js';
import { trainingEnvironment } from '../sides/python-environment.js';
import { models, openSmallModel, smallModel } from '../sides/small-model.js';

const [prompt, fresh] = [16, 64];

/** Episodes of a step, whether their lengths differ, and the highest ratio to PyTorch's time. */
const cases = [
  { model: 'd 128 x 4', episodes: 32, goal: 0.85 },
  { model: 'd 256 x 6', episodes: 32, goal: 0.85 },
  { model: 'd 128 x 4', episodes: 1, goal: 1 },
  { model: 'd 256 x 6', episodes: 1, goal: 1 },
  // The mean length is half of the longest. PyTorch pads.
  { model: 'd 128 x 4', episodes: 32, ragged: true, goal: 0.6 },
  { model: 'd 256 x 6', episodes: 32, ragged: true, goal: 0.6 },
];

/** Runs the whole measurement and prints its table. Returns the exit code: 1 if a goal is missed. */
export async function measure(options) {
  const { values } = parseArgs({
    args: options,
    options: {
      rounds: { type: 'string', default: '9' },
      engine: { type: 'string', default: 'auto' },
      python: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const host = await openHost();
  const peers = await startPeers(trainingEnvironment(values.python), 'serve.py');
  const foreign = watchForeignLoad([...peers.values()].map(({ pid }) => pid));
  const rows = [];
  try {
    for (const { model, episodes, ragged = false, goal } of cases) {
      const works = [];
      const policies = [];
      const sizes = { ...models[model], prompt, fresh, new: fresh, episodes, ragged };
      const lengths = sampledLengths(sizes);
      const folder = await smallModel(host, models[model]);
      for (const threads of threadCounts) {
        const policy = await openSmallModel(host, folder, {
          threads,
          maxTokens: prompt + fresh,
          engine: values.engine,
        });
        policies.push(policy);
        const ours = await trainWork(policy, sizes);
        works.push({ row: model, side: 'ours', threads, repetitions: 3, run: (n) => timed(ours, n) });
        const peer = peers.get(threads);
        const name = `train ${model} ${episodes} ${ragged}`;
        await peer.ask({ prepare: name, kind: 'train', sizes: { ...sizes, lengths } });
        works.push({
          row: model,
          side: 'torch',
          threads,
          repetitions: 3,
          run: (repetitions) => peer.ask({ measure: name, repetitions }),
        });
      }
      const sides = (await alternate(works, Number(values.rounds))).get(model);
      const name = `${model}, ${episodes} ${episodes === 1 ? 'episode' : 'episodes'}${ragged ? ', ragged' : ''}`;
      rows.push(rowOf(name, sides, { goal, format: milliseconds }));
      for (const policy of policies) await policy.dispose();
    }
    const [{ hello }] = peers.values();
    const report = { engine: values.engine, torch: hello.torch, foreignCores: foreign(), rows };
    printRows(rows, { machine: deviceOf(), peer: `PyTorch ${hello.torch}, eager`, foreignCores: report.foreignCores });
    console.log(`\nWritten to ${keepResults('engine', report, { flags: options })}`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return exitCodeOf(rows);
  } finally {
    for (const peer of peers.values()) peer.stop();
  }
}
