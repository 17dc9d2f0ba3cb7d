// How far the log probabilities of rounded weights are from those of the weights themselves, on tokens that the rounded ones sample.
//   npm run bench -- gap --folder MODEL [--tokens N] [--set OPTION=VALUE[,OPTION=VALUE]]...
import { parseArgs } from 'node:util';

import { createRandom } from '../../dist/random/create-random.js';
import { UsageError } from '../sides/usage-error.js';
import { openHost } from '../sides/our-side.js';
import { openModel } from '../sides/small-model.js';

const prompts = [
  'What is the capital of France?',
  'Write a poem about the sea.',
  'Count from 1 to 30.',
  'def fibonacci(n):\n    ',
  'Name the planets of the solar system.',
  'Guess my number between 12 and 25. You have 4 turns.',
  'Explain why the sky is blue to a child.',
  'List five prime numbers, one in each line.',
];
const fresh = 32;

/** Samples with each setting at temperature 1, and prints a table. Returns the exit code. */
export async function measure(args) {
  const { values } = parseArgs({
    args,
    options: {
      folder: { type: 'string' },
      tokens: { type: 'string', default: '4096' },
      set: { type: 'string', multiple: true, default: ['samplingWeights=int8', 'samplingWeights=int4'] },
    },
  });
  if (values.folder === undefined) throw new UsageError('--folder MODEL is missing');
  const host = await openHost();
  const exact = await openModel(host, values.folder, {});
  console.log('Distance in nats of log probabilities at temperature 1, and the effective sample of their ratios:\n');
  console.log('| setting | tokens | mean | largest | effective sample |\n|---|--:|--:|--:|--:|');
  for (const setting of values.set) {
    const settings = Object.fromEntries(setting.split(',').map((one) => one.split('=')));
    const rounded = await openModel(host, values.folder, settings);
    const { rows, answers } = await sample(rounded, Number(values.tokens));
    await rounded.dispose();
    const logprobs = await exact.logprobs(batchOf(rows, answers));
    console.log(`| ${setting} | ${tell(rows, answers, logprobs)} |`);
  }
  await exact.dispose();
  return 0;
}

async function sample(policy, tokens) {
  const { encoder } = policy;
  const random = createRandom(5);
  const count = Math.ceil(tokens / fresh);
  const rows = Array.from({ length: count }, (_, row) => [...encoder.begin('', prompts[row % prompts.length])]);
  const answers = await policy.generate(
    rows.map((asked, row) => ({
      tokens: asked,
      sequence: `${row}`,
      endIds: encoder.endIds,
      maxTokens: fresh,
      draws: Float64Array.from({ length: fresh }, () => 1 - random.uniform()),
    })),
    { temperature: 1, topP: 1, topK: 0 },
  );
  return { rows, answers };
}

function batchOf(rows, answers) {
  const width = Math.max(...rows.map(({ length }, row) => length + answers[row].tokens.length));
  const size = rows.length * width;
  const batch = {
    ...{ rows: rows.length, width, tokens: new Int32Array(size), mask: new Uint8Array(size) },
    ...{ length: new Int32Array(rows.length), turn: new Int32Array(size).fill(-1), temperature: 1 },
    ...Object.fromEntries(
      ['weight', 'logprobs', 'rewards', 'advantages'].map((name) => [name, new Float64Array(size)]),
    ),
    ...{ group: new Int32Array(rows.length), truncated: new Uint8Array(rows.length) },
    bootstrapValue: new Float64Array(rows.length),
  };
  for (const [row, asked] of rows.entries()) {
    const { tokens } = answers[row];
    const [start, end] = [row * width + asked.length, row * width + asked.length + tokens.length];
    batch.tokens.set([...asked, ...tokens], row * width);
    batch.length[row] = end - row * width;
    batch.mask.fill(1, start, end);
    batch.turn.fill(0, start, end);
  }
  return batch;
}

function tell(rows, answers, logprobs) {
  const width = logprobs.length / rows.length;
  const gaps = rows.flatMap((asked, row) =>
    answers[row].logprobs.map((sampled, index) => logprobs[row * width + asked.length + index] - sampled),
  );
  const sum = (of) => gaps.reduce((total, gap) => total + of(gap), 0);
  const mean = sum(Math.abs) / gaps.length;
  const largest = gaps.reduce((most, gap) => Math.max(most, Math.abs(gap)), 0);
  // Of weights exp(gap), as in importance sampling.
  const effective = sum(Math.exp) ** 2 / (gaps.length * sum((gap) => Math.exp(2 * gap)));
  return `${gaps.length} | ${mean.toFixed(4)} | ${largest.toFixed(2)} | ${(100 * effective).toFixed(2)} %`;
}
