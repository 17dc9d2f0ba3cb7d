// What agentgym makes of a Hugging Face folder, as JSON:
//   node test/language/our-answers.js FOLDER < {"chats": [...], "width": N, "texts": [...]}
// `answers`: {prompt, tokens} of each chat, whose tokens are the likeliest ones, up to `width` or an end token; `ids` of each text,
// in which control tokens are text; `spellings` of the control tokens; `endIds`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { noCorpus } from '../../dist/experiments/instances.js';
import { outsideFiles } from '../../dist/files/outside-files.js';
import { createRandom } from '../../dist/random/create-random.js';
import { optionDefaults } from '../../dist/testing/index.js';
import { openModel } from '../../plugins/policy-transformer/dist/checkpoint/adapter-folder.js';
import { options as declared } from '../../plugins/policy-transformer/dist/options.js';
import { createPolicy } from '../../plugins/policy-transformer/dist/policy/create-policy.js';
import { openTokenizer } from '../../plugins/policy-transformer/dist/tokenizer/conversation-encoder.js';
import { InProcessEngine } from '../../plugins/policy-transformer/dist/worker/in-process-engine.js';

const [folder] = process.argv.slice(2);
const { chats = [], texts = [], width } = JSON.parse(readFileSync(0, 'utf8'));
const { ids, tokenizer: files } = await openModel(outsideFiles, folder);
const tokenizer = openTokenizer(files.tokenizer);
const result = {
  answers: chats.length === 0 ? [] : await answer(),
  ids: texts.map((text) => tokenizer.encode(text)),
  spellings: tokenizer.spellings,
  eos: ids.eos,
};
process.stdout.write(JSON.stringify(result));

async function answer() {
  const cacheDirectory = mkdtempSync(join(tmpdir(), 'agentgym-language-cache-'));
  const log = { info: console.error, warn: console.error };
  const signal = new AbortController().signal;
  const host = { random: createRandom(1), log, signal, cacheDirectory, files: outsideFiles };
  const settings = { ...optionDefaults(declared), engine: 'native', threads: 2 };
  const context = { from: folder, corpus: noCorpus, valueHead: false, maxTokens: 512 };
  const start = (engine, cores, say) => InProcessEngine.create(engine, cores, say);
  const policy = await createPolicy(settings, host, context, start);
  try {
    const requests = chats.map(({ system = '', text }, row) => ({
      ...{ tokens: policy.encoder.begin(system, text), sequence: `${row}`, endIds: policy.encoder.endIds },
      ...{ maxTokens: width, draws: new Float64Array(width).fill(0.5) },
    }));
    const sampled = await policy.generate(requests, { temperature: 0, topP: 1, topK: 0 });
    return sampled.map(({ tokens }, row) => ({ prompt: requests[row].tokens, tokens }));
  } finally {
    await policy.dispose();
    rmSync(cacheDirectory, { recursive: true, force: true });
  }
}
