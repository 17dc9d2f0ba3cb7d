// Where the time of our side goes: the operators of ONNX Runtime, and everything around them.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { noCorpus } from '../../dist/experiments/instances.js';
import { outsideFiles } from '../../dist/files/outside-files.js';
import { optionDefaults } from '../../dist/testing/index.js';
import { options as declared } from '../../plugins/policy-transformer/dist/options.js';
import { createPolicy } from '../../plugins/policy-transformer/dist/policy/create-policy.js';
import { InProcessEngine } from '../../plugins/policy-transformer/dist/worker/in-process-engine.js';
import { hostSettings } from './our-side.js';

const warmUps = 3;
const repetitions = 5;
const shown = 7;

/**
 * Does a work on one thread while the library writes down its operators, which takes time itself. Returns a line.
 * @param make makes the work from a policy
 */
export async function profileOf(name, { folder, maxTokens, make }) {
  const { InferenceSession } = createRequire(new URL('../../plugins/policy-transformer/package.json', import.meta.url))(
    'onnxruntime-node',
  );
  const traces = mkdtempSync(join(tmpdir(), 'agentgym-profile-'));
  const sessions = [];
  const original = InferenceSession.create;
  InferenceSession.create = async (model, settings) => {
    const profileFilePrefix = join(traces, `${sessions.length}`);
    const session = await original.call(InferenceSession, model, {
      ...settings,
      enableProfiling: true,
      profileFilePrefix,
    });
    sessions.push(session);
    return session;
  };
  try {
    const settings = { ...optionDefaults(declared), engine: 'native', threads: 1 };
    const context = { from: folder, corpus: noCorpus, valueHead: false, maxTokens };
    const start = (engine, cores, log) => InProcessEngine.create(engine, cores, log);
    const policy = await createPolicy(settings, { ...hostSettings(1), files: outsideFiles }, context, start);
    const work = await make(policy);
    for (let count = 0; count < warmUps; count += 1) await work();
    const from = performance.now();
    for (let count = 0; count < repetitions; count += 1) await work();
    const seconds = (performance.now() - from) / 1000;
    for (const session of sessions) session.endProfiling();
    await policy.dispose();
    return `${name}: ${describe(readTraces(traces), seconds / repetitions)}`;
  } finally {
    InferenceSession.create = original;
    rmSync(traces, { recursive: true });
  }
}

/** Seconds of each operator and of whole runs, in one repetition. */
function readTraces(folder) {
  const operators = new Map();
  let runs = 0;
  const share = 1 / (warmUps + repetitions);
  for (const file of readdirSync(folder)) {
    for (const { cat, name, dur, args } of JSON.parse(readFileSync(join(folder, file), 'utf8'))) {
      const seconds = (share * dur) / 1e6;
      if (name === 'model_run') runs += seconds;
      if (cat !== 'Node' || !name.endsWith('_kernel_time')) continue;
      operators.set(args.op_name, (operators.get(args.op_name) ?? 0) + seconds);
    }
  }
  return { operators, runs };
}

function describe({ operators, runs }, seconds) {
  const percent = (part) => `${Math.round((100 * part) / seconds)} %`;
  const largest = [...operators].sort(([, a], [, b]) => b - a).slice(0, shown);
  const parts = largest.map(([name, part]) => `${name} ${percent(part)}`);
  const all = [...operators.values()].reduce((sum, part) => sum + part, 0);
  const others = all - largest.reduce((sum, [, part]) => sum + part, 0);
  return [
    ...parts,
    `other operators ${percent(others)}`,
    `between operators ${percent(runs - all)}, with the profile itself`,
    `outside the library ${percent(Math.max(0, seconds - runs))}`,
  ].join(', ');
}
