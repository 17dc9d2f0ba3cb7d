// How far the log probabilities of rounded weights are from those of the weights themselves, on tokens that the rounded ones sample.
//   npm run bench -- gap --folder MODEL [--tokens N] [--set OPTION=VALUE[,OPTION=VALUE]]...
import { parseArgs } from 'node:util';

import { openLanguageModel } from '../sides/language-model.js';
import { openHost } from '../sides/our-side.js';
import { logprobsOf, sampleAnswers } from '../sides/question-batch.js';
import { openModel } from '../sides/small-model.js';
import { UsageError } from '../sides/usage-error.js';

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
  const { folder } = openLanguageModel(values.folder);
  const host = await openHost();
  const exact = await openModel(host, folder, {});
  console.log('Distance in nats of log probabilities at temperature 1, and the effective sample of their ratios:\n');
  console.log('| setting | tokens | mean | largest | effective sample |\n|---|--:|--:|--:|--:|');
  for (const setting of values.set) {
    const settings = Object.fromEntries(setting.split(',').map((one) => one.split('=')));
    const rounded = await openModel(host, folder, settings);
    const rows = Array.from({ length: Math.ceil(Number(values.tokens) / fresh) }, (_, row) => [
      ...rounded.encoder.begin('', prompts[row % prompts.length]),
    ]);
    const answers = await sampleAnswers(rounded, rows, fresh);
    await rounded.dispose();
    const tokens = answers.map((answer) => answer.tokens);
    const logprobs = (await logprobsOf(exact, rows, tokens)).flat();
    const sampled = answers.flatMap((answer) => answer.logprobs);
    console.log(`| ${setting} | ${tell(logprobs.map((logprob, index) => logprob - sampled[index]))} |`);
  }
  await exact.dispose();
  return 0;
}

/** @param gaps trainer minus sampler */
function tell(gaps) {
  const sum = (of) => gaps.reduce((total, gap) => total + of(gap), 0);
  const mean = sum(Math.abs) / gaps.length;
  const largest = gaps.reduce((most, gap) => Math.max(most, Math.abs(gap)), 0);
  // Of weights exp(gap), as in importance sampling.
  const effective = sum(Math.exp) ** 2 / (gaps.length * sum((gap) => Math.exp(2 * gap)));
  return `${gaps.length} | ${mean.toFixed(4)} | ${largest.toFixed(2)} | ${(100 * effective).toFixed(2)} %`;
}
