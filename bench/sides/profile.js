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

const shown = 7;

/**
 * Does a work on one thread while the library writes down its operators, which takes time itself. Returns a line.
 * @param make makes the work from a policy: `run`, and `before`, which is not counted
 * @param further options of the policy
 * @param uses see `openModel`
 */
export async function profileOf(
  name,
  { folder, maxTokens, make, further = {}, uses = {}, warmUps = 3, repetitions = 5 },
) {
  const { InferenceSession } = createRequire(new URL('../../plugins/policy-transformer/package.json', import.meta.url))(
    'onnxruntime-node',
  );
  const traces = mkdtempSync(join(tmpdir(), 'agentgym-profile-'));
  const sessions = [];
  /** Of each session, whether its runs count, in their order. */
  const counted = [];
  let counts = false;
  const original = InferenceSession.create;
  InferenceSession.create = async (model, settings) => {
    const profileFilePrefix = join(traces, `${sessions.length}`);
    const session = await original.call(InferenceSession, model, {
      ...settings,
      enableProfiling: true,
      profileFilePrefix,
    });
    const runs = [];
    const run = session.run.bind(session);
    session.run = (...given) => {
      runs.push(counts);
      return run(...given);
    };
    sessions.push(session);
    counted.push(runs);
    return session;
  };
  try {
    const settings = { ...optionDefaults(declared), ...further, engine: 'native', threads: 1 };
    const context = { from: folder, corpus: noCorpus, valueHead: false, maxTokens, ...uses };
    const start = (engine, cores, log) => InProcessEngine.create(engine, cores, log);
    const policy = await createPolicy(settings, { ...hostSettings(1), files: outsideFiles }, context, start);
    const { before, run } = await make(policy);
    let seconds = 0;
    for (let count = -warmUps; count < repetitions; count += 1) {
      await before?.();
      counts = count >= 0;
      const from = performance.now();
      await run();
      if (counts) seconds += (performance.now() - from) / 1000;
      counts = false;
    }
    for (const session of sessions) session.endProfiling();
    await policy.dispose();
    return `${name}: ${describe(readTraces(traces, counted), seconds)}`;
  } finally {
    InferenceSession.create = original;
    rmSync(traces, { recursive: true });
  }
}

/** Seconds of each operator and of whole runs, in the runs that count. */
function readTraces(folder, counted) {
  const operators = new Map();
  let runs = 0;
  for (const file of readdirSync(folder)) {
    // The number of the session, and the time that the library adds.
    const wanted = counted[Number.parseInt(file, 10)];
    const events = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const spans = events
      .filter(({ name }) => name === 'model_run')
      .sort((a, b) => a.ts - b.ts)
      .filter((_, index) => wanted[index]);
    runs += spans.reduce((sum, { dur }) => sum + dur / 1e6, 0);
    for (const { cat, name, ts, dur, args } of events) {
      if (cat !== 'Node' || !name.endsWith('_kernel_time')) continue;
      if (!spans.some((span) => span.ts <= ts && ts < span.ts + span.dur)) continue;
      operators.set(args.op_name, (operators.get(args.op_name) ?? 0) + dur / 1e6);
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
