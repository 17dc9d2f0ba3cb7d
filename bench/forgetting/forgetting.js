// What a trained model forgot: how far its answers to general questions are from those of the model that it was trained from.
//   npm run bench -- forgetting --folder MODEL --trained FOLDER
import { parseArgs } from 'node:util';

import { mean } from '../../dist/statistics/mean.js';
import { pairedTInterval } from '../../dist/statistics/t-interval.js';
import { openLanguageModel } from '../sides/language-model.js';
import { openHost } from '../sides/our-side.js';
import { logprobsOf, sampleAnswers } from '../sides/question-batch.js';
import { openModel } from '../sides/small-model.js';
import { UsageError } from '../sides/usage-error.js';
import { questions } from './questions.js';

const fresh = 48;

/** Prints the divergence on sampled answers, and perplexities of given answers. Returns the exit code. */
export async function measure(args) {
  const { values } = parseArgs({ args, options: { folder: { type: 'string' }, trained: { type: 'string' } } });
  if (values.folder === undefined || values.trained === undefined) {
    throw new UsageError('Usage: npm run bench -- forgetting --folder MODEL --trained FOLDER');
  }
  const { folder } = openLanguageModel(values.folder);
  const host = await openHost();
  const before = await openModel(host, folder, {});
  const rows = questions.map(([question]) => [...before.encoder.begin('', question)]);
  const sampled = (await sampleAnswers(before, rows, fresh)).map(({ tokens }) => tokens);
  const given = questions.map(([, answer]) => before.encoder.encodeAction(answer));
  const under = async (policy) => ({
    sampled: await logprobsOf(policy, rows, sampled),
    given: await logprobsOf(policy, rows, given),
  });
  const old = await under(before);
  await before.dispose();
  const after = await openModel(host, values.trained, {});
  const now = await under(after);
  await after.dispose();
  const divergence = pairedTInterval(now.sampled.map(mean), old.sampled.map(mean));
  const loss = pairedTInterval(now.given.map(mean), old.given.map(mean));
  const perplexity = (list) => Math.exp(-mean(list.flat())).toFixed(2);
  const what = `${questions.length} questions, answers of at most ${fresh} tokens`;
  console.log(`${what} at temperature 1; 95 % t intervals over questions:`);
  console.log(`KL(before || after) of sampled answers, nats a token: ${tell(divergence)}`);
  console.log(`perplexity of given answers: ${perplexity(old.given)} before, ${perplexity(now.given)} after`);
  console.log(`their loss, after minus before, nats a token: ${tell(loss)}`);
  return 0;
}

const tell = ({ mean: middle, low, high }) => `${middle.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
