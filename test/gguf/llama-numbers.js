// What llama.cpp computes for a GGUF file, by node-llama-cpp of a folder:
//   node test/gguf/llama-numbers.js PACKAGES FILE < {"sequences": [[...]], "texts": [...]}
// Prints the log probabilities after each token, [width, vocabulary] of each sequence, and the ids of each text, as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, file] = process.argv.slice(2);
const { resolve } = createRequire(join(packages, 'package.json'));
const { getLlama } = await import(pathToFileURL(resolve('node-llama-cpp')).href);
const { sequences, texts } = JSON.parse(readFileSync(0, 'utf8'));

// Threads of llama.cpp wait for each other in a loop, which takes minutes where other programs want the processors.
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: 1 });
const model = await llama.loadModel({ modelPath: file });
// By default llama.cpp rounds keys and values to float16.
const types = { experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32' };
const context = await model.createContext({ contextSize: 256, flashAttention: false, ...types });
const sequence = context.getSequence();
const logprobs = [];
for (const tokens of sequences) {
  await sequence.clearHistory();
  const answers = await sequence.controlledEvaluate(tokens.map((token) => [token, { generateNext: { logits: true } }]));
  logprobs.push(answers.map(({ next }) => logSoftmax(next.logits)));
}
const ids = texts.map((text) => model.tokenize(text, false));
process.stdout.write(JSON.stringify({ logprobs, ids }));
await llama.dispose();

function logSoftmax(logits) {
  const row = Array.from({ length: logits.size }, (_, id) => logits.get(id));
  const most = Math.max(...row);
  const sum = row.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return row.map((logit) => logit - most - Math.log(sum));
}
