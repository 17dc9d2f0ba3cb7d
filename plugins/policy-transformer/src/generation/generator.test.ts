import type { GeneratedTokens, GenerateRequest, Sampling } from '@agentgym/cli';
import { testHost } from '@agentgym/cli/testing';
import { describe, expect, inject, it, vi } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { Executor } from '../executors/executor.js';
import { ReferenceExecutor } from '../executors/fixtures/reference-executor.js';
import { stateOf } from '../executors/fixtures/state-of.js';
import { withFacts } from '../executors/fixtures/with-facts.js';
import { KernelModel } from '../kernels/kernel-model.js';
import { Kernels } from '../kernels/kernels.js';
import { KernelGenerator } from '../kernels/kernel-generator.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { trainableShapes } from '../model/parameters.js';
import { SessionDecodeRunner } from './decode-runner.js';
import { grouped, partlyRotated, randomParameters, small, wideHeads, windowed } from './fixtures/small-models.js';
import { slowLogits, slowLogprobs, type Multiplier } from './fixtures/slow-decoder.js';
import { slowMultiplier } from './fixtures/slow-quantization.js';
import { KeyValueCache } from './key-value-cache.js';
import { GraphGenerator, type DecodeRunner, type GeneratorLimits } from './graph-generator.js';
import { ConstantDecodeRunner } from './constant-decode-runner.js';
import type { QuantizedFormat } from './quantized-weights.js';
import type { ModelWeights, TokenGenerator } from './token-generator.js';

const limits: GeneratorLimits = { cacheBytes: 1e9, tokensPerRun: 2048, rowsPerRun: 256, scoresPerRun: 1e7 };
const plain: Sampling = { temperature: 1, topP: 1, topK: 0 };

/** Generators of a model, and the number of tokens that they have fed to it. */
interface Generators {
  readonly make: (changes?: Partial<GeneratorLimits>) => TokenGenerator;
  readonly fed: () => number;
}

/** A kind of generator. All generators of a model share the sessions of graphs. */
interface Kind {
  readonly name: string;
  create(config: DecoderConfig): Promise<Generators>;
  /** Numbers of the copy that it multiplies with. */
  readonly format?: QuantizedFormat;
  /** Largest distance of a log probability to the slow reference. Default: 5e-5. */
  readonly within?: number;
  /** Whether sequences that sampled the same tokens are fed once. All kinds share a prompt. */
  readonly sharesAnswers?: boolean;
}

/** Generators that share a runner, which compiles its sessions again only for other weights. */
function sessions(config: DecoderConfig, executor: Executor, runner: DecodeRunner): Generators {
  const runs = vi.spyOn(runner, 'run');
  const prepare = runner.prepare.bind(runner);
  let prepared: { readonly weights: ModelWeights; readonly ready: ReturnType<typeof prepare> } | undefined;
  vi.spyOn(runner, 'prepare').mockImplementation((weights) => {
    if (prepared?.weights !== weights) prepared = { weights, ready: prepare(weights) };
    return prepared.ready;
  });
  const rows = () => runs.mock.calls.flatMap(([, , , , { appendTo }]) => appendTo?.rows ?? []);
  return {
    make: (changes) =>
      new GraphGenerator(config, runner, new KeyValueCache(config, executor), { ...limits, ...changes }),
    fed: () => rows().reduce((sum, row) => sum + (row?.count ?? 0), 0),
  };
}

const onnx = () => createExecutor({ threads: 1, log: () => undefined });

const graphOf = (name: string, createOne: () => Promise<Executor>): Kind => ({
  name,
  create: async (config) => {
    const executor = await createOne();
    return sessions(config, executor, new SessionDecodeRunner(executor, config));
  },
});

const kinds: readonly Kind[] = [
  graphOf('a graph', onnx),
  {
    name: 'kernels',
    sharesAnswers: true,
    create: (config) => {
      const feeds = vi.spyOn(KernelModel.prototype, 'feed');
      return Promise.resolve({
        make: (changes) => new KernelGenerator(config, changes?.cacheBytes ?? limits.cacheBytes),
        fed: () => feeds.mock.calls.flatMap(([pieces]) => pieces).reduce((sum, { tokens }) => sum + tokens.length, 0),
      });
    },
  },
];

/** A request of a sequence that begins with a token. */
function first(token: number): GenerateRequest {
  const draws = new Float64Array(4).fill(0.4);
  return { tokens: [token, 1, 2, 3, 4], sequence: 'first', endIds: [], maxTokens: 4, draws };
}

const weights = new Map<ReadonlyMap<string, Float32Array>, ModelWeights>();
async function weightsOf(parameters: ReadonlyMap<string, Float32Array>): Promise<ModelWeights> {
  const known = weights.get(parameters) ?? { trainable: stateOf(await onnx(), parameters) };
  weights.set(parameters, known);
  return known;
}

/** Drawn once for each model: all tests begin with the same ones, and none changes them. */
const drawn = new Map<DecoderConfig, Map<string, Float32Array>>();
function parametersOf(config: DecoderConfig) {
  const { random } = testHost(1);
  const parameters = drawn.get(config) ?? randomParameters(config, () => random.uniform());
  drawn.set(config, parameters);
  return parameters;
}

/** Made once for each kind and model, because compiling its sessions takes most of a test. */
const generators = new Map<Kind, Map<DecoderConfig, Promise<Generators>>>();
function generatorsOf(kind: Kind, config: DecoderConfig): Promise<Generators> {
  const known = generators.get(kind) ?? new Map<DecoderConfig, Promise<Generators>>();
  generators.set(kind, known);
  const made = known.get(config) ?? kind.create(config);
  known.set(config, made);
  return made;
}

async function setUp(kind: Kind, config: DecoderConfig) {
  const parameters = parametersOf(config);
  const { make, fed } = await generatorsOf(kind, config);
  const before = fed();
  const generator = async (changes?: Partial<GeneratorLimits>) => {
    const made = make(changes);
    await made.useWeights(await weightsOf(parameters));
    return made;
  };
  return { parameters, generator, fed: () => fed() - before };
}

/** Prompts and token limits of many lengths, with end tokens that are really sampled. */
function requests(
  config: DecoderConfig,
  count: number,
  turn = 0,
  before?: readonly number[][],
  most = { prompt: 30, answer: 20 },
): GenerateRequest[] {
  const random = testHost(7).random;
  return Array.from({ length: count }, (_, index) => {
    const own = random.stream('request', index, turn);
    const length = own.integer(1, most.prompt);
    const fresh = Array.from({ length }, () => own.integer(0, config.vocabularySize));
    const maxTokens = own.integer(1, most.answer);
    return {
      tokens: [...(before?.[index] ?? []), ...fresh],
      sequence: `episode ${index}`,
      endIds: [3, 5, 8],
      maxTokens,
      draws: Float64Array.from({ length: maxTokens }, () => 1 - own.uniform()),
    };
  });
}

/**
 * A graph with a quantized copy. An activation at the edge of two codes gets the other one in the slow reference, by the
 * last bits of the processor: about one token in 30 of four layers, and then its successors differ too.
 */
const quantized = (format: QuantizedFormat): Kind => ({
  name: `a graph with weights in ${format}`,
  format,
  within: 0.2,
  create: async (config) => {
    const executor = await createExecutor({ threads: 1, log: () => undefined });
    return sessions(config, executor, new ConstantDecodeRunner(executor, config, undefined, format));
  },
});

const references = new Map<string, ReturnType<typeof slowLogits>>();
const multipliers = new Map<string, Multiplier>();

function multiplierOf(
  format: QuantizedFormat | undefined,
  config: DecoderConfig,
  parameters: ReadonlyMap<string, Float32Array>,
): Multiplier | undefined {
  if (format === undefined) return undefined;
  const key = `${format} ${config.hiddenSize}`;
  const shapes = trainableShapes(config, { valueHead: false });
  const known = multipliers.get(key) ?? slowMultiplier(parameters, format, (name) => shapes.get(name)!.at(-1)!);
  multipliers.set(key, known);
  return known;
}

/** Logits of the slow reference, computed once: kinds without a copy sample the same tokens. */
function referenceLogits(
  { format }: Kind,
  config: DecoderConfig,
  parameters: ReadonlyMap<string, Float32Array>,
  tokens: readonly number[],
) {
  const key = `${format} ${config.family} ${config.hiddenSize} ${tokens.join(' ')}`;
  const known = references.get(key) ?? slowLogits(config, parameters, tokens, multiplierOf(format, config, parameters));
  references.set(key, known);
  return known;
}

const [int8, int4] = (['int8', 'int4'] as const).map(quantized) as [Kind, Kind];
const inReference = graphOf('a graph in the reference', () => Promise.resolve(new ReferenceExecutor()));
const weightsAsInputs = graphOf('a graph whose weights are inputs', async () =>
  withFacts(await onnx(), { mostFixedBytes: 0 }),
);
const oneSession: Kind = {
  name: 'one session with constant weights',
  create: async (config) => {
    const executor = await onnx();
    return sessions(config, executor, new ConstantDecodeRunner(executor, config, undefined, 'float32'));
  },
};
const cases = [
  ...kinds.map((kind) => ({ by: kind.name, kind, model: 'hidden 64', config: small })),
  { by: 'a graph', kind: kinds[0]!, model: 'hidden 128', config: grouped },
  { by: 'kernels', kind: kinds[1]!, model: 'hidden 16, heads of 32', config: wideHeads },
  { by: weightsAsInputs.name, kind: weightsAsInputs, model: 'hidden 64', config: small },
  { by: int8.name, kind: int8, model: 'hidden 128', config: grouped },
  { by: int4.name, kind: int4, model: 'hidden 16, heads of 32', config: wideHeads },
  { by: oneSession.name, kind: oneSession, model: 'hidden 128', config: grouped },
  { by: 'a graph', kind: kinds[0]!, model: 'layers without rotary positions', config: partlyRotated },
  { by: 'a graph', kind: kinds[0]!, model: 'sliding windows', config: windowed },
];
/** Further pairs of the same kinds and models. */
const longCases = [
  { by: 'a graph', kind: kinds[0]!, model: 'hidden 16, heads of 32', config: wideHeads },
  { by: 'kernels', kind: kinds[1]!, model: 'hidden 128', config: grouped },
  { by: int8.name, kind: int8, model: 'hidden 16, heads of 32', config: wideHeads },
  { by: int4.name, kind: int4, model: 'hidden 128', config: grouped },
  { by: oneSession.name, kind: oneSession, model: 'hidden 64', config: small },
  { by: weightsAsInputs.name, kind: weightsAsInputs, model: 'sliding windows', config: windowed },
];
const tried = inject('long') ? [...cases, ...longCases] : cases;

describe.each(tried)('generation by $by, $model', ({ kind, config }) => {
  it('gives requests of one call that are sampled in different ways the bits that each has alone', async () => {
    const { generator } = await setUp(kind, config);
    const ways: Sampling[] = [
      plain,
      { ...plain, temperature: 0.7 },
      { ...plain, topK: 5 },
      { ...plain, temperature: 0 },
      { temperature: 1.3, topP: 0.8, topK: 9 },
      { ...plain, topP: 0.6 },
    ];
    const asked = requests(config, 10).map((request, index) => ({ ...request, sampling: ways[index % 7] }));
    // Two with the same prompt.
    asked[8] = { ...asked[1]!, sequence: 'again', sampling: ways[3] };
    const mixed = asked.map(({ sampling, ...request }) => ({ ...request, ...(sampling && { sampling }) }));
    const answers = await (await generator()).generate(mixed, ways[1]!);
    for (const [index, { sampling = ways[1]!, ...request }] of mixed.entries()) {
      expect(await (await generator()).generate([request], sampling)).toEqual([answers[index]]);
    }
  });

  it('samples what the draws say, with the log probabilities of a slow reference, over turns', async () => {
    const { parameters, generator } = await setUp(kind, config);
    const slack = kind.within ?? 1e-5;
    // Many short sequences, so that most of the tokens have no such activation before them.
    const [count, most] = kind.format === undefined ? [3, undefined] : [8, { prompt: 4, answer: 4 }];
    const distances: number[] = [];
    const made = await generator();
    let before: number[][] | undefined;
    for (const [turn, temperature] of [
      [0, 1],
      [1, 0.7],
      [0, 0],
    ] as const) {
      const asked = requests(config, count, turn, turn === 0 ? undefined : before, most);
      const answers = await made.generate(asked, { ...plain, temperature });
      before = asked.map(({ tokens }, row) => [...tokens, ...answers[row]!.tokens]);
      answers.forEach((answer, row) => {
        const { tokens, draws, endIds, maxTokens } = asked[row]!;
        const logits = referenceLogits(kind, config, parameters, [...tokens, ...answer.tokens]);
        answer.tokens.forEach((token, index) => {
          const at = logits[tokens.length - 1 + index]!;
          const logprobs = slowLogprobs(at, temperature || 1);
          distances.push(Math.abs(answer.logprobs[index]! - logprobs[token]!));
          if (temperature === 0) expect(at[token]).toBeGreaterThanOrEqual(Math.max(...at) - slack);
          else {
            const below = logprobs.slice(0, token).reduce((sum, logprob) => sum + Math.exp(logprob), 0);
            expect(draws[index]).toBeGreaterThan(below - slack);
            expect(draws[index]).toBeLessThan(below + Math.exp(logprobs[token]!) + slack);
          }
          expect(answer.tokens.length).toBeLessThanOrEqual(maxTokens);
          expect(endIds.includes(token)).toBe(answer.ended && index === answer.tokens.length - 1);
        });
        if (!answer.ended) expect(answer.tokens.length).toBe(maxTokens);
      });
    }
    distances.sort((a, b) => a - b);
    expect(distances.at(-1)).toBeLessThan(kind.within ?? 5e-5);
    expect(distances[Math.floor(distances.length / 2)]).toBeLessThan(5e-6);
  });

  // Goes red in a graph if weights are inputs and the padded row of a lone sequence is left out, if capacity is not a
  // multiple of 16, or if pieces of one and of many tokens share a run. Goes red in kernels if the attention of a row
  // includes positions after its own.
  it('gives an episode the same bits alone, in any batch, order, capacity and cache size, over turns', async () => {
    const { generator } = await setUp(kind, config);
    const turns = async (run: (asked: GenerateRequest[]) => Promise<GeneratedTokens[]>) => {
      const all: GeneratedTokens[][] = [];
      let sequences: number[][] | undefined;
      for (let turn = 0; turn < 3; turn += 1) {
        const asked = requests(config, 6, turn, sequences, { prompt: 30, answer: 12 });
        const answers = await run(asked);
        sequences = asked.map(({ tokens }, row) => [...tokens, ...answers[row]!.tokens]);
        all.push(answers);
      }
      return all;
    };
    const together = await generator();
    const expected = await turns((asked) => together.generate(asked, plain));
    const alone = await generator();
    const variants: { [name: string]: () => Promise<GeneratedTokens[][]> } = {
      alone: () =>
        turns(async (asked) => {
          const answers: GeneratedTokens[] = [];
          for (const request of asked) answers.push(...(await alone.generate([request], plain)));
          return answers;
        }),
    };
    const backwards = await generator();
    variants.backwards = () =>
      turns(async (asked) => (await backwards.generate(asked.toReversed(), plain)).toReversed());
    const crowded = await generator();
    const long = Array.from({ length: 200 }, (_, index) => index % config.vocabularySize);
    variants.crowded = () =>
      turns(async (asked) => {
        const noise = {
          tokens: long,
          sequence: 'long',
          endIds: [],
          maxTokens: 20,
          draws: new Float64Array(20).fill(0.3),
        };
        return (await crowded.generate([noise, ...asked, { ...noise, sequence: 'other' }], plain)).slice(1, -1);
      });
    for (const [name, limited] of Object.entries({
      'small runs': { tokensPerRun: 50, rowsPerRun: 3 },
      'small cache': { cacheBytes: 6 * 64 * config.layers * config.keyValueHeads * config.headWidth * 8 },
    })) {
      const narrow = await generator(limited);
      variants[name] = () => turns((asked) => narrow.generate(asked, plain));
    }
    // This cache evicts some sequences, whose tokens are then all needed.
    const told = await generator({ cacheBytes: 6 * 64 * config.layers * config.keyValueHeads * config.headWidth * 8 });
    let before: number[] = [];
    variants['told what is unchanged'] = () =>
      turns(async (asked) => {
        const answers = await told.generate(
          asked.map((request, row) => ({ ...request, unchanged: before[row] ?? 0 })),
          plain,
        );
        before = asked.map(({ tokens }, row) => tokens.length + answers[row]!.tokens.length);
        return answers;
      });
    for (const [name, answers] of Object.entries(variants)) expect(await answers(), name).toEqual(expected);
  });

  // Goes red when no member of a group waits for another one.
  it('computes a shared prompt once, with the bits of one that is not shared', async () => {
    const { generator, fed } = await setUp(kind, config);
    const [first] = requests(config, 1) as [GenerateRequest];
    const prompt = Array.from({ length: 14 }, (_, index) => (index * 11) % config.vocabularySize);
    const group = Array.from({ length: 6 }, (_, index) => ({
      ...first,
      tokens: prompt,
      sequence: `member ${index}`,
      maxTokens: 4,
      draws: Float64Array.of(0.1 + index / 7, 0.5, 0.2, 0.9),
    }));
    const before = fed();
    const shared = await (await generator()).generate(group, plain);
    // The prompt once, without its last token in kinds in which each member feeds that itself, and each sampled token
    // except the last.
    const answers = shared.flatMap(({ tokens }) => tokens.map((_, index) => tokens.slice(0, index).join()));
    const counted = kind.sharesAnswers ? new Set(answers).size : answers.length;
    expect(fed() - before).toBe(prompt.length - 1 + counted);
    const apart: GeneratedTokens[] = [];
    for (const request of group) apart.push(...(await (await generator()).generate([request], plain)));
    expect(shared).toEqual(apart);
  });

  // Goes red when a lane takes over more than the pieces that it waited for, or less.
  it('computes the beginning of different prompts once, with the bits of prompts that come alone', async () => {
    const { generator, fed } = await setUp(kind, config);
    const [first] = requests(config, 1) as [GenerateRequest];
    const beginning = Array.from({ length: 300 }, (_, index) => (index * 7) % config.vocabularySize);
    const asked = Array.from({ length: 5 }, (_, index) => ({
      ...first,
      endIds: [],
      tokens: [...beginning, ...Array.from({ length: 3 + 2 * index }, () => index % config.vocabularySize)],
      sequence: `task ${index}`,
      maxTokens: 3,
      draws: Float64Array.of(0.1 + index / 7, 0.5, 0.2),
    }));
    const before = fed();
    const made = await generator();
    const together = await made.generate(asked, plain);
    const all = asked.reduce((sum, { tokens }) => sum + tokens.length, 0);
    expect(fed() - before).toBeLessThan(all - 4 * 256 + 5 * 3 + 1);
    const later = (index: number) => ({
      ...asked[index]!,
      tokens: [...asked[index]!.tokens, ...together[index]!.tokens, 1],
    });
    const goneOn = await made.generate([0, 1, 2, 3, 4].map(later), plain);
    for (const [index, request] of asked.entries()) {
      const alone = await generator();
      expect(await alone.generate([request], plain)).toEqual([together[index]]);
      expect(await alone.generate([later(index)], plain)).toEqual([goneOn[index]]);
    }
  });

  // Goes red in kernels if exponentials turn NaN into 0.
  it('says so where weights are not finite any more, and goes on with others', async () => {
    const { parameters, generator } = await setUp(kind, config);
    const made = await generator();
    const [first] = requests(config, 1) as [GenerateRequest];
    const expected = await made.generate([first], plain);
    const name = 'model.layers.1.mlp.down_proj.weight';
    const broken = Float32Array.from(parameters.get(name)!, (weight, index) => (index === 5 ? NaN : weight));
    await made.useWeights(await weightsOf(new Map([...parameters, [name, broken]])));
    for (const temperature of [0, 1]) {
      await expect(made.generate([first], { ...plain, temperature })).rejects.toThrow('no longer finite');
    }
    await made.useWeights(await weightsOf(parameters));
    expect(await made.generate([first], plain)).toEqual(expected);
  });
});

describe.each([
  ['hidden 64', small],
  ['hidden 128', grouped],
])('generation, %s', (_, config) => {
  it.each([
    ['all', plain],
    ['the 5 likeliest', { ...plain, topK: 5 }],
    ['the likeliest four fifths', { ...plain, topP: 0.8 }],
    ['either', { temperature: 1.3, topK: 9, topP: 0.9 }],
    ['the largest', { ...plain, temperature: 0 }],
  ])('draws from %s alike by a graph in ONNX Runtime and in the reference, and by kernels', async (__, sampling) => {
    const answer = async (kind: Kind, count: number) => {
      const { generator } = await setUp(kind, config);
      return (await generator()).generate(requests(config, count), sampling);
    };
    const [byGraph, byKernels] = [await answer(kinds[0]!, 20), await answer(kinds[1]!, 20)];
    // The reference is slow.
    for (const others of [byKernels, await answer(inReference, 2)]) {
      for (const [row, { tokens, logprobs }] of others.entries()) {
        expect(tokens).toEqual(byGraph[row]!.tokens);
        for (const [index, logprob] of logprobs.entries())
          expect(logprob).toBeCloseTo(byGraph[row]!.logprobs[index]!, 4);
      }
    }
  });
});

describe('generation by kernels', () => {
  // Goes red when sequences that go different ways write into a common page, or when one that is left or evicted takes
  // the pages of others with it.
  it('feeds sequences once while their tokens are equal, over turns, and gives each the bits that it has alone', async () => {
    const { generator, fed } = await setUp(kinds[1]!, small);
    const { random } = testHost(3);
    /** Turns of 24 members, most of which go one of three ways. */
    const play = async (
      generate: (asked: GenerateRequest[]) => Promise<GeneratedTokens[]>,
      leave: (names: readonly string[]) => void = () => undefined,
    ) => {
      const all: GeneratedTokens[][] = [];
      const before = Array.from({ length: 24 }, () => Array.from({ length: 13 }, (_, index) => index));
      for (let turn = 0; turn < 6; turn += 1) {
        // A turn leaves a few members out.
        const members = [...before.keys()].filter((member) => (member + turn) % 11 > 0);
        const asked = members.map((member) => {
          const own = random.stream(turn, (member * 5 + turn) % 8 === 0 ? `member ${member}` : member % 3);
          return {
            tokens: before[member]!,
            sequence: `member ${member}`,
            endIds: [3, 5, 8],
            maxTokens: 5,
            draws: Float64Array.from({ length: 5 }, () => 1 - own.uniform()),
          };
        });
        const answers = await generate(asked);
        all.push(answers);
        for (const [index, member] of members.entries()) {
          before[member] = [...before[member]!, ...answers[index]!.tokens, 10, 12, 11];
        }
        leave([`member ${turn}`, 'nobody']);
      }
      return all;
    };
    const alone = await generator();
    const first = fed();
    const expected = await play(async (asked) => {
      const answers: GeneratedTokens[] = [];
      for (const request of asked) answers.push(...(await alone.generate([request], plain)));
      return answers;
    });
    const apart = fed() - first;
    const together = await generator();
    const got = await play(
      (asked) => together.generate(asked, plain),
      (names) => together.release(names),
    );
    expect(got).toEqual(expected);
    expect(fed() - first - apart).toBeLessThan(0.7 * apart);
    // Once all have left, their pages are there for others.
    const members = Array.from({ length: 24 }, (_, member) => `member ${member}`);
    const reserve = vi.spyOn(Kernels.prototype, 'reserve');
    for (let time = 0; time < 10; time += 1) {
      together.release(members);
      await play((asked) => together.generate(asked, plain));
    }
    expect(reserve).not.toHaveBeenCalled();
    // There is room for 40 pages of 16 positions, and most sequences are evicted.
    const cacheBytes = 40 * 16 * 8 * small.layers * small.keyValueHeads * small.headWidth;
    const crowded = await generator({ cacheBytes });
    expect(await play((asked) => crowded.generate(asked, plain))).toEqual(expected);
  });
});

describe('generation by a graph', () => {
  // Goes red when a first message is cut off although it is short, or is not cut off.
  it('computes a first message of different prompts once, with the bits of prompts that come alone', async () => {
    const { generator, fed } = await setUp(kinds[0]!, small);
    const message = (length: number) => [...Array.from({ length: length - 1 }, (_, index) => index % 9), 10];
    const asked = [40, 20].flatMap((length) =>
      [0, 1, 2, 3].map((index) => ({
        ...first(5),
        tokens: [...message(length), ...Array.from({ length: 4 + index }, () => index), 10, 3],
        sequence: `${length} ${index}`,
        endIds: [10],
      })),
    );
    const before = fed();
    const together = await (await generator()).generate(asked, plain);
    const all = asked.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const answered = together.reduce((sum, { tokens }) => sum + tokens.length - 1, 0);
    expect(fed() - before).toBe(all + answered - 3 * 40);
    for (const [index, request] of asked.entries()) {
      expect(await (await generator()).generate([request], plain)).toEqual([together[index]]);
    }
  });

  // Goes red when a rewritten answer throws away what stands before it, or when what was written there stays.
  it('keeps what stands before an answer that the conversation has in another form', async () => {
    const { generator, fed } = await setUp(kinds[0]!, small);
    const play = async (generate: (asked: GenerateRequest[]) => Promise<GeneratedTokens[]>) => {
      const all: GeneratedTokens[][] = [];
      const before = Array.from({ length: 6 }, (_, row) => Array.from({ length: 20 + row }, (__, index) => index));
      for (let turn = 0; turn < 4; turn += 1) {
        const answers = await generate(
          before.map((tokens, row) => ({
            tokens,
            sequence: `row ${row}`,
            endIds: [],
            maxTokens: 4,
            draws: Float64Array.from({ length: 4 }, (_, index) => (1 + ((turn + 3 * row + index) % 7)) / 8),
          })),
        );
        all.push(answers);
        // The answer has one other token in the middle, and an observation follows.
        for (const [row, { tokens }] of answers.entries()) {
          const rewritten = tokens.with(1, (tokens[1]! + 1) % small.vocabularySize);
          before[row] = [...before[row]!, ...rewritten, 7, 9, 11];
        }
      }
      return all;
    };
    const whole = await generator();
    const expected = await play((asked) => whole.generate(asked, plain));
    // 6 x 22.5 tokens of prompts, and in each turn four of an answer, three of them fed, and six after the first, which is kept.
    expect(fed()).toBeLessThan(6 * (22.5 + 4 * 3 + 3 * 6) + 1);
    const alone = await generator();
    const answers = await play(async (asked) => {
      const each: GeneratedTokens[] = [];
      for (const request of asked) each.push(...(await alone.generate([request], plain)));
      return each;
    });
    expect(answers).toEqual(expected);
    // Most sequences are evicted, and fed again.
    const crowded = await generator({ cacheBytes: 3 * 64 * small.layers * small.keyValueHeads * small.headWidth * 8 });
    expect(await play((asked) => crowded.generate(asked, plain))).toEqual(expected);
    // A sequence whose beginning differs is another one.
    const [fresh] = await alone.generate([{ ...first(5), sequence: 'row 0' }], plain);
    const [same] = await (await generator()).generate([first(5)], plain);
    expect(fresh).toEqual(same);
  });

  // Goes red when a number of `rowRules` stands in the generator or its cache.
  it('gives an executor the shapes that it asks for, and the same answer', async () => {
    const answers = [];
    for (const { mostFixedBytes, ...rowRules } of [
      {
        mostFixedBytes: 1e9,
        leastRows: 1,
        mostFewRows: 16,
        widthMultiple: 1,
        capacityMultiple: 1,
        allowsEmptyCache: true,
      },
      {
        mostFixedBytes: 1e9,
        leastRows: 3,
        mostFewRows: 2,
        widthMultiple: 5,
        capacityMultiple: 12,
        allowsEmptyCache: true,
      },
      {
        mostFixedBytes: 0,
        leastRows: 3,
        mostFewRows: 2,
        widthMultiple: 5,
        capacityMultiple: 12,
        allowsEmptyCache: false,
      },
    ]) {
      const executor = new ReferenceExecutor();
      const seen: { readonly [size: string]: number }[] = [];
      const watched = withFacts(executor, {
        rowRules,
        mostFixedBytes,
        compile: async (program) => {
          const executable = await executor.compile(program);
          return {
            inputs: executable.inputs,
            outputs: executable.outputs,
            run: (given, options) => {
              seen.push(options?.sizes ?? {});
              return executable.run(given, options);
            },
            dispose: () => executable.dispose(),
          };
        },
      });
      const { generator } = await setUp(
        graphOf('watched', () => Promise.resolve(watched)),
        small,
      );
      const [first] = requests(small, 1) as [GenerateRequest];
      const tokens = Array.from({ length: 72 }, (_, index) => index % small.vocabularySize);
      const asked = ['a', 'b', 'c'].map((sequence, row) => ({ ...first, sequence, tokens: [row, ...tokens.slice(1)] }));
      answers.push(await (await generator()).generate(asked, plain));
      const rows = seen.map((sizes) => sizes['rows']!);
      if (mostFixedBytes > 0) expect(Math.min(...rows)).toBeGreaterThanOrEqual(rowRules.leastRows);
      else expect(Math.max(...rows)).toBe(rowRules.mostFewRows);
      expect(Math.max(...seen.map(({ width }) => width!))).toBe(rowRules.widthMultiple === 5 ? 75 : 71);
      expect(seen.every(({ width }) => width === 1 || width! % rowRules.widthMultiple === 0)).toBe(true);
      expect(seen.every(({ capacity }) => capacity! % rowRules.capacityMultiple === 0)).toBe(true);
      expect(seen.some(({ capacity }) => capacity === 0)).toBe(rowRules.allowsEmptyCache);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});
