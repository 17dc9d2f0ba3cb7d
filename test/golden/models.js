// Compares the built transformer plugin with the results of `transformers` for small checkpoints: logits, hidden
// states, log probabilities, entropy, greedy generation, losses, gradients and three AdamW steps. A recording is a
// Hugging Face folder with golden.json.gz and golden.safetensors.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { outsideFiles } from '../../dist/files/outside-files.js';
import { readAdapterConfig } from '../../plugins/policy-transformer/dist/checkpoint/adapter-config.js';
import { adapterOf, readAdapterWeights } from '../../plugins/policy-transformer/dist/checkpoint/adapter-folder.js';
import { parseDecoderConfig } from '../../plugins/policy-transformer/dist/checkpoint/decoder-config-json.js';
import { mergeAdapter } from '../../plugins/policy-transformer/dist/checkpoint/merge-adapter.js';
import { readSafetensors } from '../../plugins/policy-transformer/dist/checkpoint/safetensors.js';
import { createExecutor } from '../../plugins/policy-transformer/dist/executors/create-executor.js';
import { SessionDecodeRunner } from '../../plugins/policy-transformer/dist/generation/decode-runner.js';
import { GraphGenerator } from '../../plugins/policy-transformer/dist/generation/graph-generator.js';
import { KeyValueCache } from '../../plugins/policy-transformer/dist/generation/key-value-cache.js';
import { Graph } from '../../plugins/policy-transformer/dist/graph/graph.js';
import { decoderTrunk } from '../../plugins/policy-transformer/dist/model/decoder-trunk.js';
import { askingInputs, askingPositions } from '../../plugins/policy-transformer/dist/model/asking-positions.js';
import { MaskMemory } from '../../plugins/policy-transformer/dist/model/mask-memory.js';
import { placeInputs } from '../../plugins/policy-transformer/dist/model/place-inputs.js';
import { placeApart } from '../../plugins/policy-transformer/dist/model/place-rows.js';
import { frozenShapes, trainableShapes } from '../../plugins/policy-transformer/dist/model/parameters.js';
import {
  evaluationGraph,
  gradientState,
  termOutput,
  trainingGraph,
} from '../../plugins/policy-transformer/dist/model/training-graph.js';
import { GradientNorm } from '../../plugins/policy-transformer/dist/optimizers/clip-gradient.js';
import { createOptimizer } from '../../plugins/policy-transformer/dist/optimizers/create-optimizer.js';
import { weightsOf } from './models/read-weights.js';

const ABSOLUTE = { absolute: 1e-4 };
const RELATIVE = { relative: 1e-4 };
/**
 * AdamW divides by the root of the squared gradient, so an element with a gradient near zero may step in the other
 * direction.
 */
const ELEMENT = { absolute: 2e-4 };
const EXACT = { absolute: 0 };

const OPTIMIZER = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01 };
const LEARNING_RATE = 1e-3;
const CLIP_NORM = 1;
const MASKED = -1e9;

/** Of the generator. */
const LIMITS = { cacheBytes: 1e8, tokensPerRun: 1024, rowsPerRun: 128, scoresPerRun: 16e6 };

class Tally {
  agreed = 0;
  disagreed = 0;
  first = undefined;

  compare(place, ours, theirs, { absolute = 0, relative = 0 }) {
    const [our, their] = [ours, theirs].map((side) => (typeof side === 'number' ? [side] : [...side]));
    if (our.length !== their.length) this.#disagree(`${place}: ${our.length} numbers for ${their.length}`);
    for (const [index, number] of their.entries()) {
      if (Math.abs(our[index] - number) <= absolute + relative * Math.abs(number)) this.agreed += 1;
      else this.#disagree(`${place}[${index}]: ours ${our[index]}, recorded ${number}`);
    }
  }

  #disagree(what) {
    this.disagreed += 1;
    this.first ??= what;
  }
}

/** Tensors as state of an executor, in the order of the shapes. */
async function stateOf(executor, shapes, tensors) {
  const state = executor.allocate(shapes);
  for (const [name, { data }] of tensors) await state.write(name, data);
  return state;
}

/** One recording, with everything that is needed to repeat it. */
class Recording {
  /**
   * @param parameters state that training changes
   * @param frozen other weights, if there is an adapter
   */
  constructor({ golden, arrays, config, adapter, parameters, frozen, executor, tally }) {
    Object.assign(this, { golden, arrays, config, adapter, parameters, frozen, executor, tally });
    this.options = { valueHead: false, adapter };
    this.state = frozen === undefined ? [parameters] : [parameters, frozen];
  }

  /** [rows * width, ...] of each output at the places where the attention mask is 1, row after row. */
  async forward(padded) {
    const [rows, width] = [padded.input_ids.length, padded.input_ids[0].length];
    const { heads, keyValueHeads } = this.config;
    const queries = (heads / keyValueHeads) * width;
    const graph = new Graph();
    const positions = graph.input('positions', [rows, width], 'int32');
    const bias = (window) => graph.input(`bias ${window}`, [rows, 1, queries, width]);
    const options = { positions, bias, adapter: this.adapter };
    const { final, head, states } = decoderTrunk(graph, this.config, { rows, width, blocks: 1 }, options);
    const logits = graph.matmul(final, head, { transposeRight: true });
    const named = Object.fromEntries([...states, final].map((tensor, layer) => [`hidden_${layer}`, tensor]));
    const executable = await this.executor.compile({ outputs: { logits, ...named } });
    const masks = this.config.attentionKinds.map(({ window }) => {
      const mask = new Float32Array(rows * queries * width);
      for (let index = 0; index < mask.length; index++) {
        const key = index % width;
        const query = Math.floor(index / width) % width;
        const row = Math.floor(index / (width * queries));
        const isHidden = key > query || key <= query - window || padded.attention_mask[row][key] === 0;
        mask[index] = isHidden ? MASKED : 0;
      }
      return [`bias ${window}`, mask];
    });
    const inputs = {
      tokens: Int32Array.from(padded.input_ids.flat()),
      positions: Int32Array.from(padded.position_ids.flat()),
      ...Object.fromEntries(masks),
    };
    const outputs = await executable.run(inputs, { state: this.state });
    await executable.dispose();
    const real = padded.attention_mask.flat();
    const rowsOf = (data) => {
      const size = data.length / real.length;
      return real.flatMap((is, place) => (is === 1 ? [data.subarray(place * size, (place + 1) * size)] : []));
    };
    return Object.fromEntries(Object.entries(outputs).map(([name, data]) => [name, rowsOf(data)]));
  }

  async checkForward() {
    const { golden, arrays, tally } = this;
    for (const side of ['right', 'left']) {
      const outputs = await this.forward(paddedTo(side, golden));
      const compareRows = (name, rows) => {
        const recorded = arrays.get(name);
        tally.compare(`${name} size`, rows.length, recorded.shape[0], EXACT);
        const size = recorded.shape[1];
        for (const [row, data] of rows.entries()) {
          tally.compare(`${name} row ${row}`, data, recorded.data.subarray(row * size, (row + 1) * size), ABSOLUTE);
        }
      };
      compareRows(`logits_${side}`, outputs.logits);
      if (side === 'left' || !arrays.has('hidden_0')) continue;
      for (let layer = 0; layer <= this.config.layers; layer++) {
        compareRows(`hidden_${layer}`, outputs[`hidden_${layer}`].slice(0, golden.sequences[0].length));
      }
    }
  }

  /** Sizes and inputs of a graph that reads these tokens: row, position of the predicted token, id. */
  slots(tokens, rows, width) {
    const slots = tokens.map(([sequence, position]) => ({ sequence, position }));
    const placed = placeApart(new Array(rows).fill(width), width);
    const { points, most } = askingPositions(slots, placed);
    const counts = { slots: slots.length, points: points.length, asks: most };
    const sizes = { sequences: rows, rows, width, ...counts, shared: false, blocks: 1 };
    const memory = new MaskMemory();
    const inputs = {
      ...placeInputs(placed, sizes, this.config, memory),
      ...askingInputs(points, placed, sizes, this.config, memory),
      targets: Int32Array.from(tokens, ([, , token]) => token),
      inverseTemperature: Float32Array.of(1),
    };
    return { sizes, inputs };
  }

  tokens(sequences, width) {
    const tokens = new Int32Array(sequences.length * width);
    for (const [row, sequence] of sequences.entries()) tokens.set(sequence.slice(0, width), row * width);
    return tokens;
  }

  async checkStatistics() {
    const { golden, tally } = this;
    const { sequences } = golden;
    const rows = sequences.length;
    const width = Math.max(...sequences.map((sequence) => sequence.length));
    // The entropy after the last token has no next token, so any id will do.
    const places = sequences.flatMap((sequence, row) =>
      [...sequence.slice(1), 0].map((token, t) => [row, t + 1, token]),
    );
    const { sizes, inputs } = this.slots(places, rows, width);
    const outputs = evaluationGraph(this.config, sizes, this.options);
    const executable = await this.executor.compile({ outputs });
    const { logprob, entropy } = await executable.run(
      { tokens: this.tokens(sequences, width), ...inputs },
      { state: this.state },
    );
    await executable.dispose();
    let start = 0;
    for (const [row, sequence] of sequences.entries()) {
      const end = start + sequence.length;
      tally.compare(`logprobs of sequence ${row}`, logprob.subarray(start, end - 1), golden.logprobs[row], ABSOLUTE);
      tally.compare(`entropy of sequence ${row}`, entropy.subarray(start, end), golden.entropy[row], ABSOLUTE);
      start = end;
    }
  }

  /** Greedy generation through the cache, all sequences at once. */
  async checkGeneration() {
    const { golden, tally, executor, config, adapter } = this;
    const { tokens, logprobs } = golden.generation;
    const runner = new SessionDecodeRunner(executor, config, adapter);
    const generator = new GraphGenerator(config, runner, new KeyValueCache(config, executor), LIMITS);
    await generator.useWeights({ trainable: this.parameters, frozen: this.frozen });
    const requests = golden.sequences.map((sequence, row) => ({
      tokens: sequence,
      endIds: [],
      maxTokens: tokens[row].length,
      draws: new Float64Array(tokens[row].length).fill(1),
    }));
    const answers = await generator.generate(requests, { temperature: 0, topP: 1, topK: 0 });
    await generator.dispose();
    for (const [row, answer] of answers.entries()) {
      tally.compare(`generated tokens of sequence ${row}`, answer.tokens, tokens[row], EXACT);
      tally.compare(`generated logprobs of sequence ${row}`, answer.logprobs, logprobs[row], ABSOLUTE);
    }
  }

  async checkTraining() {
    const { golden, tally, arrays } = this;
    const { labels, training } = golden;
    const [rows, width] = [labels.length, labels[0].length];
    const places = labels.flatMap((row, r) => row.flatMap((label, i) => (label === -100 ? [] : [[r, i, label]])));
    const count = places.length;
    const live = { op: 'live', name: 'logprob' };
    const loss = { terms: { crossEntropy: { op: 'sub', left: { op: 'constant', value: 0 }, right: live } } };
    const slots = this.slots(places, rows, width);
    const { outputs, gradients: slopes } = trainingGraph(this.config, slots.sizes, this.options, loss);
    const executable = await this.executor.compile({ outputs, add: slopes });
    const { shapes } = this.parameters;
    const gradients = this.executor.allocate(new Map([...shapes].map(([name, of]) => [gradientState(name), of])));
    const run = () => executable.run(inputs, { state: [...this.state, gradients] });
    const inputs = {
      tokens: this.tokens(golden.sequences, width),
      ...slots.inputs,
      mask: new Uint8Array(count).fill(1),
      weight: new Float32Array(count).fill(1 / count),
    };
    const settings = { name: 'adamw', options: OPTIMIZER };
    const optimizer = createOptimizer(settings, { parameters: this.parameters, gradients }, this.executor);
    for (const [step, recorded] of training.steps.entries()) {
      const got = await run();
      if (step === 0) await this.#compareGradients(gradients, arrays.get('gradient_final_norm'));
      tally.compare(`loss of step ${step}`, got[termOutput('crossEntropy')], [recorded.loss], RELATIVE);
      const { gradientNorm } = await optimizer.step(LEARNING_RATE, CLIP_NORM);
      tally.compare(`gradient norm of step ${step}`, gradientNorm, recorded.gradient_norm_before_clip, RELATIVE);
    }
    const after = await run();
    tally.compare('loss after the last step', after[termOutput('crossEntropy')], [training.loss_after], RELATIVE);
    await executable.dispose();
    await optimizer.dispose();
    for (const [name, recorded] of Object.entries(training.parameters_after)) {
      const parameter = graphName(name);
      const found = shapes.has(parameter) ? await this.parameters.read(parameter) : new Float32Array(0);
      compareNumbers(tally, `${name} after training`, { shape: shapes.get(parameter) ?? [], data: found }, recorded);
    }
  }

  async #compareGradients(gradients, ofFinalNorm) {
    const { gradient_norms: norms } = this.golden.training;
    this.tally.compare('parameters', gradients.shapes.size, Object.keys(norms).length, EXACT);
    const measure = new GradientNorm(this.executor);
    for (const [name, norm] of Object.entries(norms)) {
      const state = gradientState(graphName(name));
      const ours = gradients.shapes.has(state) ? await measure.of(gradients, [state]) : NaN;
      this.tally.compare(`gradient norm of ${name}`, ours, norm, RELATIVE);
    }
    if (ofFinalNorm !== undefined) {
      const state = gradientState('model.norm.weight');
      const absolute = 1e-4 * (await measure.of(gradients, [state]));
      this.tally.compare('gradient_final_norm', await gradients.read(state), ofFinalNorm.data, { absolute });
    }
    await measure.dispose();
  }
}

/** The name of a parameter in our graph. */
const graphName = (recorded) => recorded.replace(/^base_model\.model\./, '');

/** A padded batch; where it was not recorded, made from the sequences by the rule of the README. */
function paddedTo(side, golden) {
  const recorded = golden[`padded_${side}`];
  if (recorded !== undefined) return recorded;
  const width = Math.max(...golden.sequences.map(({ length }) => length));
  const pad = (sequence, of) => {
    const padding = Array(width - sequence.length).fill(0);
    return side === 'right' ? [...of, ...padding] : [...padding, ...of];
  };
  const masks = golden.sequences.map((sequence) => pad(sequence, Array(sequence.length).fill(1)));
  return {
    input_ids: golden.sequences.map((sequence) => pad(sequence, sequence)),
    attention_mask: masks,
    position_ids: masks.map((mask) =>
      mask.map((_, t) => Math.max(0, mask.slice(0, t + 1).reduce((a, b) => a + b) - 1)),
    ),
  };
}

/** Compares a tensor with recorded checksums. */
function compareNumbers(tally, place, { shape, data }, recorded) {
  const absolute = data.reduce((sum, x) => sum + Math.abs(x), 0);
  const compare = (what, ours, tolerance) => tally.compare(`${what} of ${place}`, ours, recorded[what], tolerance);
  compare('shape', shape, EXACT);
  compare(
    'sum',
    data.reduce((sum, x) => sum + x, 0),
    { absolute: 1e-4 * absolute },
  );
  compare('abs_sum', absolute, RELATIVE);
  compare('norm', Math.sqrt(data.reduce((sum, x) => sum + x * x, 0)), RELATIVE);
  compare('first', data.slice(0, recorded.first.length), ELEMENT);
  compare('last', data.slice(data.length - recorded.last.length), ELEMENT);
}

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

async function check(folder, threads) {
  const tally = new Tally();
  const lora = existsSync(join(folder, 'adapter_config.json'))
    ? await readAdapterConfig(outsideFiles, folder)
    : undefined;
  const base = lora ? resolve(folder, lora.base.name) : folder;
  const config = parseDecoderConfig(readJson(join(base, 'config.json')));
  const older = join(folder, 'config.hub-style.json');
  if (existsSync(older)) {
    const same = isDeepStrictEqual(parseDecoderConfig(readJson(older)), config);
    tally.compare('both spellings of the configuration', Number(same), 1, EXACT);
  }
  const golden = JSON.parse(gunzipSync(readFileSync(join(folder, 'golden.json.gz'))).toString('utf8'));
  const { tensors: arrays } = await readSafetensors(outsideFiles, join(folder, 'golden.safetensors'));
  const executor = await createExecutor({ threads, log: (message) => console.error(message) });
  const weights = await weightsOf(base);
  const factors = lora && (await readAdapterWeights(outsideFiles, folder, config, lora.settings));
  const options = { valueHead: false, adapter: lora && adapterOf(lora.settings) };
  const recording = new Recording({
    golden,
    arrays,
    config,
    adapter: options.adapter,
    parameters: await stateOf(executor, trainableShapes(config, options), factors ?? weights),
    frozen: lora && (await stateOf(executor, frozenShapes(config, options), weights)),
    executor,
    tally,
  });
  await recording.checkForward();
  await recording.checkStatistics();
  await recording.checkGeneration();
  await recording.checkTraining();
  if (lora !== undefined) {
    mergeAdapter(weights, factors, adapterOf(lora.settings));
    for (const [name, recorded] of Object.entries(golden.merged_parameters)) {
      compareNumbers(tally, `${name}, merged`, weights.get(name), recorded);
    }
  }
  const { agreed, disagreed, first } = tally;
  console.log(`${basename(folder)}, threads ${threads}: ${agreed} numbers agree, ${disagreed} do not`);
  if (first !== undefined) console.log(`  the first that does not: ${first}`);
  return disagreed === 0;
}

/** Arguments: folders, and `--threads N`. Without it each folder is checked with one thread and with two. */
export async function run(given) {
  const at = given.indexOf('--threads');
  const threads = at === -1 ? [1, 2] : [Number(given[at + 1])];
  const folders = at === -1 ? given : given.toSpliced(at, 2);
  if (folders.length === 0 || !threads.every((count) => Number.isInteger(count) && count > 0)) {
    console.error('usage: npm run golden -- models FOLDER... [--threads N]');
    return 2;
  }
  for (const folder of folders) {
    const config = existsSync(join(folder, 'adapter_config.json')) ? [] : ['config.json'];
    const missing = [...config, 'golden.json.gz', 'golden.safetensors'].find((file) => !existsSync(join(folder, file)));
    if (missing !== undefined) {
      console.error(`${folder} is no recording: it has no ${missing}`);
      return 2;
    }
  }
  let agree = true;
  for (const folder of folders) for (const count of threads) agree = (await check(folder, count)) && agree;
  return agree ? 0 : 1;
}
