// Processor time that DoRA adds to LoRA in one layer of the shape of Qwen2.5-0.5B: rank 16 on all matrices, 2,048 tokens,
// one thread. Also the time of the row scales, which sampling computes once for each version of the weights.
//   node bench/models/dora.js [REPETITIONS]
import { parseDecoderConfig } from '../../plugins/policy-transformer/dist/checkpoint/decoder-config-json.js';
import { createExecutor } from '../../plugins/policy-transformer/dist/executors/create-executor.js';
import { RowScales } from '../../plugins/policy-transformer/dist/generation/row-scales.js';
import { causalMask } from '../../plugins/policy-transformer/dist/model/causal-mask.js';
import { layerGradientPart, layerPart } from '../../plugins/policy-transformer/dist/model/layered-graphs.js';
import { frozenShapes, PROJECTIONS, trainableShapes } from '../../plugins/policy-transformer/dist/model/parameters.js';
import { rotaryTables } from '../../plugins/policy-transformer/dist/model/rotary-tables.js';
import { gradientState } from '../../plugins/policy-transformer/dist/model/training-graph.js';
import { uniformNumbers } from '../sides/random-weights.js';
import { configOf } from './random-model.js';

const [rows, width] = [4, 512];
const sizes = { tokens: rows * width, rows, width, blocks: 1 };
const config = parseDecoderConfig({ ...configOf(1), vocab_size: 1000 });
const executor = await createExecutor({ threads: 1, log: console.error });
const next = uniformNumbers(1);

async function randomState(shapes) {
  const state = executor.allocate(shapes);
  for (const [name, shape] of shapes) {
    const count = shape.reduce((product, size) => product * size, 1);
    const middle = name.includes('norm') ? 1 : 0;
    await state.write(
      name,
      Float32Array.from({ length: count }, () => middle + 0.03 * next()),
    );
  }
  return state;
}

const places = Int32Array.from({ length: sizes.tokens }, (_, token) => token);
const hidden = Float32Array.from({ length: sizes.tokens * config.hiddenSize }, next);
const inputs = {
  hidden,
  slope: hidden,
  positions: places.map((token) => token % width),
  tokenOfPlace: places,
  tokenOrNone: places,
  placeOfToken: places,
  bias: causalMask(width, config.heads / config.keyValueHeads),
  ...rotaryTables(config, config.attentionKinds[0].rope, width),
};

const work = new Map();
for (const dora of [false, true]) {
  const options = { valueHead: false, adapter: { rank: 16, scale: 2, targets: PROJECTIONS, dora } };
  const shapes = trainableShapes(config, options);
  const [trainable, frozen] = [await randomState(shapes), await randomState(frozenShapes(config, options))];
  const gradients = executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
  const kind = dora ? 'DoRA' : 'LoRA';
  const forward = await executor.compile(layerPart(config, options, sizes, false));
  work.set(`${kind} forward`, () => forward.run(inputs, { state: [trainable, frozen] }));
  const { outputs, gradients: add } = layerGradientPart(config, options, sizes, false);
  const backward = await executor.compile({ outputs, add });
  work.set(`${kind} backward`, () => backward.run(inputs, { state: [trainable, frozen, gradients] }));
  const scales = new RowScales(executor, config, options.adapter);
  if (dora) work.set('row scales', () => scales.of({ trainable, frozen }));
}

const repetitions = Number(process.argv[2] ?? 5);
const times = new Map([...work.keys()].map((name) => [name, []]));
for (let repetition = 0; repetition < repetitions; repetition += 1) {
  for (const [name, run] of work) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    times.get(name).push((user + system) / 1000);
  }
}
for (const [name, all] of times) {
  const sorted = all.toSorted((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  console.log(`${name}: ${median.toFixed(0)} ms (${least.toFixed(0)} to ${most.toFixed(0)})`);
}
