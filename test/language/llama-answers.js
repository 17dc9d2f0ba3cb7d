// What llama.cpp makes of a GGUF file, by node-llama-cpp of a folder:
//   node test/language/llama-answers.js PACKAGES FILE < {"answers": [{"prompt": [...], "tokens": [...]}], "texts": [...]}
// `ids` of each text, in which control tokens are text. `answers`: for each token, whether it is the likeliest one behind those
// before it; otherwise {token, gap}: the likeliest, and how far its logit is above the other.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, file] = process.argv.slice(2);
const { resolve } = createRequire(join(packages, 'package.json'));
const { getLlama } = await import(pathToFileURL(resolve('node-llama-cpp')).href);
const { answers, texts } = JSON.parse(readFileSync(0, 'utf8'));

// Threads of llama.cpp wait for each other in a loop, which takes minutes where other programs want the processors.
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: 1 });
const model = await llama.loadModel({ modelPath: file, ...(answers.length === 0 && { vocabOnly: true }) });
const compared = [];
if (answers.length > 0) {
  // By default llama.cpp rounds keys and values to float16.
  const types = { experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32' };
  const context = await model.createContext({ contextSize: 512, flashAttention: false, ...types });
  const sequence = context.getSequence();
  for (const answer of answers) compared.push(await compare(sequence, answer));
}
const ids = texts.map((text) => model.tokenize(text, false));
process.stdout.write(JSON.stringify({ answers: compared, ids }));
await llama.dispose();

async function compare(sequence, { prompt, tokens }) {
  await sequence.clearHistory();
  const asked = [prompt.at(-1), ...tokens.slice(0, -1)].map((token, place) => {
    const filter = { tokens: [tokens[place]], includeMax: true };
    return [token, { generateNext: { logits: { filter } } }];
  });
  const found = await sequence.controlledEvaluate([...prompt.slice(0, -1), ...asked]);
  return tokens.map((token, place) => {
    const { logits } = found[prompt.length - 1 + place].next;
    const best = Math.max(...logits.values());
    return best === logits.get(token) || best - logits.get(token);
  });
}
