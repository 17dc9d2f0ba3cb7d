// Trains three supervised steps with an installed policy. Prints, as JSON, the doctor's findings, the log messages and
// the results. Usage: node train-steps.js PLUGIN_ENTRY ENGINE
import { pathToFileURL } from 'node:url';

import { optionDefaults } from '../../dist/testing/option-defaults.js';
import { testHost } from '../../dist/testing/test-host.js';

const [entry, engine] = process.argv.slice(2);
const [contribution] = (await import(pathToFileURL(entry))).default;
const { create } = await contribution.load();
const host = testHost(1);
const options = { ...optionDefaults(contribution.options), engine, threads: 1, cacheMegabytes: 64, vocabularySize: 64 };
const corpus = async function* () {
  yield 'guess my number between 4 and 33 higher lower correct';
};
const context = { corpus, preset: 'pico', valueHead: false, maxTokens: 64 };
const policy = await create(options, host, context);
await policy.resetOptimizer({ name: 'adamw', options: {} });

const [rows, width] = [4, 16];
const size = rows * width;
const of = (array, value) => array.map((_, index) => value(index));
const batch = {
  rows,
  width,
  tokens: of(new Int32Array(size), (i) => (7 * i) % 20),
  length: new Int32Array(rows).fill(width),
  mask: of(new Uint8Array(size), (i) => (i % width > 3 ? 1 : 0)),
  turn: new Int32Array(size),
  weight: new Float64Array(size).fill(1 / size),
  logprobs: new Float64Array(size),
  rewards: new Float64Array(size),
  advantages: new Float64Array(size),
  group: of(new Int32Array(rows), (i) => i),
  truncated: new Uint8Array(rows),
  bootstrapValue: new Float64Array(rows),
  temperature: 1,
};
const logprob = { op: 'live', name: 'logprob' };
const crossEntropy = { op: 'mul', left: { op: 'constant', value: -1 }, right: logprob };
const losses = [];
for (let step = 0; step < 3; step += 1) {
  const { terms } = await policy.forwardBackward(batch, { terms: { crossEntropy } });
  await policy.optimizerStep({ learningRate: 0.01, clipNorm: 1 });
  losses.push(terms.crossEntropy);
}
const logprobs = [...(await policy.logprobs(batch))];
const diagnoses = await contribution.diagnose(host, { quick: true });
console.log(JSON.stringify({ diagnoses, messages: host.messages, losses, logprobs, model: policy.describe() }));
await policy.dispose();
