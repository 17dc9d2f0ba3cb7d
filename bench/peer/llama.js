// A model from a GGUF file in llama.cpp, by node-llama-cpp of a folder. Answers JSON lines as `models.py` does.
//   node llama.js PACKAGES FILE THREADS
//   {"prepare": NAME, "kind": "decode" | "prefill", "sizes": {...}}   {"measure": NAME, "repetitions": N}   {"forget": NAME}
// It calls the functions that node-llama-cpp itself calls below its queues, so that nothing but llama.cpp is measured. The
// next token is the likeliest, which costs llama.cpp less than drawing one.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [packages, file, threads] = process.argv.slice(2);
const { resolve } = createRequire(join(packages, 'package.json'));
const { getLlama } = await import(pathToFileURL(resolve('node-llama-cpp')).href);
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: Number(threads) });
const model = await llama.loadModel({ modelPath: file });
const likeliest = { temperature: 0 };
const kinds = { decode, prefill };

/** Draws `fresh` tokens of every row after a cached prompt, all rows in one batch. */
async function decode({ rows, prompt, fresh, vocabulary }) {
  const { context, batch, samplers, dispose } = await open(rows, prompt + fresh);
  const prompts = Array.from({ length: rows }, () => randomTokens(prompt, vocabulary));
  for (const [row, tokens] of prompts.entries()) {
    await batch([{ row, from: 0, tokens: tokens.subarray(0, -1) }]);
  }
  return {
    before() {
      for (let row = 0; row < rows; row += 1) context.removeTokenCellsFromSequence(row, prompt - 1, -1);
    },
    async run() {
      let drawn = prompts.map((tokens) => tokens.at(-1));
      for (let step = 0; step < fresh; step += 1) {
        const from = prompt - 1 + step;
        const asked = drawn.map((token, row) => ({ row, from, tokens: Uint32Array.of(token), isAsked: true }));
        drawn = await sample(context, await batch(asked), samplers);
      }
    },
    dispose,
  };
}

/** Reads a prompt of one row and draws one token after it. */
async function prefill({ prompt, vocabulary }) {
  const { context, batch, samplers, dispose } = await open(1, prompt);
  return {
    before() {
      context.disposeSequence(0);
    },
    async run() {
      const tokens = randomTokens(prompt, vocabulary);
      await sample(context, await batch([{ row: 0, from: 0, tokens, isAsked: true }]), samplers);
    },
    dispose,
  };
}

/** A context for this many sequences, each of up to `width` tokens. Flash attention is as llama.cpp has it for processors. */
async function open(rows, width) {
  const sizes = { sequences: rows, contextSize: width, batchSize: Math.max(rows, width) };
  const owner = await model.createContext({ ...sizes, threads: Number(threads) });
  const context = owner._ctx;
  const samplers = Array.from({ length: rows }, () => {
    const sampler = new llama._bindings.AddonSampler(model._model);
    sampler.applyConfig(likeliest);
    return sampler;
  });
  /** Feeds tokens of several rows together. Returns where the logits are of the last token of each row that is asked. */
  const batch = async (parts) => {
    context.initBatch(parts.reduce((sum, { tokens }) => sum + tokens.length, 0));
    const places = parts.flatMap(({ row, from, tokens, isAsked = false }) => [
      ...context.addToBatch(row, from, tokens, Uint32Array.from(isAsked ? [tokens.length - 1] : [])),
    ]);
    await context.decodeBatch();
    return places;
  };
  const dispose = async () => {
    for (const sampler of samplers) sampler.dispose();
    await owner.dispose();
  };
  return { context, batch, samplers, dispose };
}

async function sample(context, places, samplers) {
  const tokens = await Promise.all(places.map((place, row) => context.sampleToken(place, samplers[row])));
  if (!tokens.every((token) => token >= 0)) throw new Error('llama.cpp gave no token');
  return tokens;
}

function randomTokens(count, vocabulary) {
  return Uint32Array.from({ length: count }, () => Math.floor(vocabulary * Math.random()));
}

async function timed({ before, run }, repetitions) {
  const seconds = [];
  const cpu = [];
  for (let count = 0; count < repetitions; count += 1) {
    before();
    const [start, spent] = [performance.now(), process.cpuUsage()];
    await run();
    seconds.push((performance.now() - start) / 1000);
    const { user, system } = process.cpuUsage(spent);
    cpu.push((user + system) / 1e6);
  }
  return { seconds, cpu };
}

const prepared = new Map();

async function answerOf({ prepare, kind, sizes, measure, repetitions, forget }) {
  if (prepare !== undefined) {
    prepared.set(prepare, await kinds[kind](sizes));
    return { prepared: prepare };
  }
  if (measure !== undefined) return timed(prepared.get(measure), repetitions);
  await prepared.get(forget).dispose();
  prepared.delete(forget);
  return {};
}

const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
say({ features: llama._bindings.systemInfo() });
for await (const line of createInterface({ input: process.stdin })) say(await answerOf(JSON.parse(line)));
process.exit();
