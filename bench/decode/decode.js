// Compares sampling with a plain PyTorch loop whose cache is allocated beforehand, and with `generate` of transformers.
//   npm run bench -- decode [--rounds N] [--engine NAME] [--python PATH] [--json FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { alternate, startPeers, threadCounts, timed } from '../sides/alternate.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { deviceOf, keepResults } from '../sides/keep-results.js';
import { decodeWork, openHost } from '../sides/our-side.js';
import { exitCodeOf, printRows, rowOf, tokensPerSecond } from '../sides/print-rows.js';
import { trainingEnvironment } from '../sides/python-environment.js';
import { models, openSmallModel, smallModel } from '../sides/small-model.js';

const [prompt, fresh] = [16, 64];
const generated = 32;

/** Episodes at a time, and the highest ratio to the time of the loop. */
const goals = [
  { model: 'd 128 x 4', episodes: 32, goal: 1 / 2.5 },
  { model: 'd 256 x 6', episodes: 32, goal: 1 / 1.7 },
  { model: 'd 128 x 4', episodes: 1, goal: 1 / 2.5 },
  { model: 'd 256 x 6', episodes: 1, goal: 1 / 2 },
];
const generateGoal = 1 / 4;

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
    for (const { model, episodes, goal } of goals) {
      const works = [];
      const policies = [];
      const sizes = { ...models[model], prompt, fresh, new: fresh, episodes };
      const folder = await smallModel(host, models[model]);
      const withGenerate = episodes === generated;
      for (const threads of threadCounts) {
        const policy = await openSmallModel(host, folder, {
          threads,
          maxTokens: prompt + fresh,
          engine: values.engine,
        });
        policies.push(policy);
        const ours = decodeWork(policy, sizes);
        works.push({ row: model, side: 'ours', threads, repetitions: 2, run: (n) => timed(ours, n) });
        const peer = peers.get(threads);
        for (const [side, kind] of [['torch', 'decode'], ...(withGenerate ? [['generate', 'generate']] : [])]) {
          const name = `${kind} ${model} ${episodes}`;
          await peer.ask({ prepare: name, kind, sizes: { ...sizes, folder } });
          const run = (repetitions) => peer.ask({ measure: name, repetitions });
          works.push({ row: model, side, threads, repetitions: kind === 'generate' ? 1 : 2, run });
        }
      }
      const sides = (await alternate(works, Number(values.rounds))).get(model);
      const format = tokensPerSecond(episodes * fresh);
      const name = `${model}, ${episodes} ${episodes === 1 ? 'episode' : 'episodes'}`;
      rows.push(rowOf(name, sides, { goal, format }));
      if (withGenerate) rows.push(rowOf(`${name}, generate`, sides, { goal: generateGoal, format, peer: 'generate' }));
      for (const policy of policies) await policy.dispose();
    }
    const [{ hello }] = peers.values();
    const report = {
      ...{ engine: values.engine, torch: hello.torch, transformers: hello.transformers, foreignCores: foreign(), rows },
    };
    printRows(rows, { machine: deviceOf(), peer: `PyTorch ${hello.torch}, eager`, foreignCores: report.foreignCores });
    console.log(`\nWritten to ${keepResults('decode', report, { flags: options })}`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return exitCodeOf(rows);
  } finally {
    for (const peer of peers.values()) peer.stop();
  }
}
