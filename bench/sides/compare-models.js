// Works of small models, beside PyTorch.
import { alternate, startPeers, timed } from './alternate.js';
import { watchForeignLoad } from './foreign-load.js';
import { chosen, readOptions } from './options.js';
import { openHost, sampledLengths } from './our-side.js';
import { rowOf } from './print-rows.js';
import { profileOf } from './profile.js';
import { trainingEnvironment } from './python-environment.js';
import { report } from './report.js';
import { models, openModel, smallModel } from './small-model.js';

const [prompt, fresh] = [16, 64];
/** After so many, our code is compiled as it stays for a whole training. */
const warmUps = 10;

/**
 * Measures cases one after the other, all sides of each alternating, and reports them. Returns the exit code.
 *
 * A case has `model`, `episodes`, whether their lengths differ (`ragged`), `work`, which makes a function from our
 * policy and the sizes, how often it runs in a round (`repetitions`), how its time is written (`format`, of its sampled
 * tokens), and `peers`: what PyTorch does (`kind`, in `peer/workloads.py`), and the highest ratio to its time on
 * processors (`goal`).
 */
export async function compareModels(measurement, args, cases) {
  const options = readOptions(args, { only: { type: 'string', multiple: true } });
  const wanted = chosen(cases, options.only, nameOf);
  const host = await openHost();
  const peers = await startPeers(trainingEnvironment(options.python), 'serve.py', options);
  const [{ hello }] = peers.values();
  const foreign = watchForeignLoad([...peers.values()].map(({ pid }) => pid));
  try {
    const rows = [];
    const profile = [];
    for (const item of wanted) {
      const own = await compareCase(item, { host, peers, options });
      rows.push(...own);
      const misses = own.some(({ ratio, goal = Infinity }) => ratio > goal);
      if (misses && options.engine === 'auto') profile.push(await profileCase(host, item));
    }
    const peer = `PyTorch ${hello.torch}, eager${options.onGpu ? ', bfloat16' : ''}`;
    if (profile.length > 0) profile.unshift('Where our time goes in the rows that miss a goal, on one thread:');
    return report(measurement, { foreignCores: foreign(), rows, profile }, { options, hello, peer });
  } finally {
    for (const peer of peers.values()) peer.stop();
  }
}

async function compareCase(item, { host, peers, options }) {
  const { model, episodes, ragged = false, repetitions, work } = item;
  const sizes = { ...models[model], prompt, fresh, new: fresh, episodes, ragged };
  const lengths = sampledLengths(sizes);
  const folder = await smallModel(host, models[model]);
  const works = [];
  const policies = [];
  for (const [threads, peer] of peers) {
    const settings = { threads, maxTokens: prompt + fresh, ...options.policy };
    const policy = await openModel(host, folder, settings);
    policies.push(policy);
    const ours = await work(policy, sizes);
    works.push({ side: 'ours', threads, repetitions, run: (count) => timed(ours, count) });
    for (const { kind } of item.peers) {
      const name = `${kind} ${model} ${episodes} ${ragged}`;
      await peer.ask({ prepare: name, kind, sizes: { ...sizes, folder, lengths } });
      const run = (count) => peer.ask({ measure: name, repetitions: count });
      // It takes seconds.
      works.push({ side: kind, threads, repetitions: kind === 'generate' ? 1 : repetitions, run });
    }
  }
  const sides = await alternate(works, options.rounds, warmUps);
  for (const policy of policies) await policy.dispose();
  const name = nameOf(item);
  return item.peers.map(({ kind, goal }) =>
    rowOf(kind === 'generate' ? `${name}, generate` : name, sides, {
      ...{ peer: kind, format: item.format(episodes * fresh) },
      goal: options.onGpu ? undefined : goal,
    }),
  );
}

async function profileCase(host, { model, episodes, ragged = false, work }) {
  const sizes = { ...models[model], prompt, fresh, episodes, ragged };
  const folder = await smallModel(host, models[model]);
  const make = async (policy) => ({ run: await work(policy, sizes) });
  return `  ${await profileOf(nameOf({ model, episodes, ragged }), { folder, maxTokens: prompt + fresh, make })}`;
}

function nameOf({ model, episodes, ragged = false }) {
  return `${model}, ${episodes} ${episodes === 1 ? 'episode' : 'episodes'}${ragged ? ', ragged' : ''}`;
}
