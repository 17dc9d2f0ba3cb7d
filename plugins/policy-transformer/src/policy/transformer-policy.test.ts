import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Loss, LossExpression, PolicyModel, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { policyOpener } from './fixtures/policy-opener.js';

const sampling = { temperature: 0.9, topP: 1, topK: 0 };
const adamw = { name: 'adamw', options: {} };

const policyOf = policyOpener(
  { threads: 1, microBatchTokens: 2048, activationMegabytes: 100, tokenizer: 'words' },
  { preset: 'pico', texts: ['1 2 3 4 5 6 7 8 9 10'] },
);

/** A batch of sampled episodes of two turns. */
async function play(policy: PolicyModel, rows: number): Promise<TrainingBatch> {
  const { encoder } = policy;
  let sequences = Array.from({ length: rows }, (_, row) => [...encoder.begin('', `guess ${row % 5} between 4 and 33`)]);
  const masks = sequences.map((tokens) => tokens.map(() => 0));
  const logprobs = sequences.map((tokens) => tokens.map(() => NaN));
  for (let turn = 0; turn < 2; turn += 1) {
    const answers = await policy.generate(
      sequences.map((tokens, row) => ({
        tokens,
        sequence: `episode ${row}`,
        endIds: encoder.endIds,
        maxTokens: 5,
        draws: Float64Array.from({ length: 5 }, (_, index) => 1 - testHost(row).random.stream(turn, index).uniform()),
      })),
      sampling,
    );
    sequences = sequences.map((tokens, row) => {
      const { tokens: sampled, logprobs: given, ended } = answers[row]!;
      const after = [
        ...(ended ? [] : encoder.endIds.slice(0, 1)),
        ...encoder.append(row % 3 === 0 ? 'higher' : 'lower 4 to 9'),
      ];
      masks[row]!.push(...sampled.map(() => 1), ...after.map(() => 0));
      logprobs[row]!.push(...given, ...after.map(() => NaN));
      return [...tokens, ...sampled, ...after];
    });
  }
  const width = Math.max(...sequences.map(({ length }) => length));
  const fill = <T extends Float64Array | Int32Array | Uint8Array>(
    data: T,
    of: (row: number, t: number) => number,
  ): T => {
    for (let index = 0; index < data.length; index += 1) data[index] = of(Math.floor(index / width), index % width);
    return data;
  };
  const perToken = (of: (row: number, t: number) => number) => fill(new Float64Array(rows * width), of);
  return {
    ...emptyBatch({ rows, width, temperature: sampling.temperature }),
    tokens: fill(new Int32Array(rows * width), (row, t) => sequences[row]![t] ?? 0),
    length: Int32Array.from(sequences, ({ length }) => length),
    mask: fill(new Uint8Array(rows * width), (row, t) => masks[row]![t] ?? 0),
    turn: new Int32Array(rows * width),
    weight: perToken((row, t) => (masks[row]![t] ? 1 / (rows + t) : NaN)),
    logprobs: perToken((row, t) => logprobs[row]![t] ?? NaN),
    rewards: perToken(() => 0),
    advantages: perToken((row, t) => (masks[row]![t] ? Math.sin(row + t) : NaN)),
    returns: perToken((row, t) => Math.cos(row * t)),
    group: Int32Array.from({ length: rows }, (_, row) => row),
  };
}

const live: LossExpression = { op: 'live', name: 'logprob' };
const entropy: LossExpression = { op: 'live', name: 'entropy' };
const ratio: LossExpression = { op: 'exp', of: { op: 'sub', left: live, right: { op: 'batch', name: 'logprobs' } } };
const policyGradient: Loss = {
  terms: {
    policy: {
      op: 'mul',
      left: { op: 'mul', left: { op: 'constant', value: -1 }, right: ratio },
      right: { op: 'batch', name: 'advantages' },
    },
    entropy: { op: 'mul', left: { op: 'constant', value: -0.02 }, right: entropy },
  },
  metrics: { ratio },
};
/** Reads rows in pairs. */
const preference: Loss = {
  terms: { pairs: { op: 'logsigmoid', of: { op: 'pairDifference', of: { op: 'sequenceSum', of: live } } } },
};

describe('TransformerPolicy', () => {
  // Law 1. Goes red when training uses another temperature than sampling, or shifts tokens by one.
  it('trains on what it sampled: log probabilities agree to 1e-4', async () => {
    const policy = await policyOf();
    const batch = await play(policy, 12);
    const logprobs = await policy.logprobs(batch);
    let compared = 0;
    for (const [index, sampled] of batch.mask.entries()) {
      if (sampled) {
        expect(Math.abs(logprobs[index]! - batch.logprobs[index]!)).toBeLessThan(1e-4);
        compared += 1;
      } else expect(logprobs[index]).toBe(0);
    }
    expect(compared).toBeGreaterThan(24);
  });

  // Goes red when a core's count is lost, or padding between the rows of a share is counted.
  it('counts the same operations however rows are cut and dealt, and those of all its cores', async () => {
    const [one, three] = [await policyOf(), await policyOf({ threads: 3, microBatchTokens: 64 })];
    const [batch, counts] = [await play(one, 11), new Set<number>()];
    expect(await play(three, 11)).toEqual(batch);
    const [alone, dealt] = [one.takeOperations!(), three.takeOperations!()];
    expect(dealt).toBe(alone);
    for (const policy of [one, three]) {
      await policy.forwardBackward(batch, policyGradient);
      counts.add(policy.takeOperations!());
      await policy.optimizerStep({ learningRate: 0 });
    }
    expect(counts.size).toBe(1);
  });

  // Goes red when the micro-batch that is measured adds to gradients, or when something of it is counted or remembered.
  it.each([1, 2])('measures its memory without a trace, on %s cores', async (threads) => {
    const [sampled, load] = [
      { sequences: 6, turns: 2, trainedTurns: 2, actionTokens: 5 },
      { rows: 6, references: 0 },
    ];
    const asked = { ...sampled, ...load, evaluates: true, samplings: [sampling], optimizers: [adamw] };
    const record = async (measures: boolean) => {
      const policy = await policyOf({ threads, microBatchTokens: 512 });
      const look = async () => (measures ? await policy.measureMemory!(asked) : undefined);
      await policy.resetOptimizer(adamw);
      const parts = await look();
      const batch = await play(policy, 6);
      await look();
      const first = await policy.forwardBackward(batch, policyGradient);
      await look();
      const step = await policy.optimizerStep({ learningRate: 1e-3 });
      await look();
      const [again, logprobs] = [await play(policy, 6), await policy.logprobs(batch)];
      return { parts, found: { batch, first, step, again, logprobs, operations: policy.takeOperations!() } };
    };
    const [measured, plain] = [await record(true), await record(false)];
    expect(measured.found).toEqual(plain.found);
    expect(Object.keys(measured.parts!)).toEqual(expect.arrayContaining(['activations', 'optimizer', 'cache']));
    for (const bytes of Object.values(measured.parts!)) expect(bytes).toBeGreaterThanOrEqual(0);
  });

  it('plays the same on one core and on three', async () => {
    const [one, three] = [await policyOf(), await policyOf({ threads: 3 })];
    expect(await play(three, 11)).toEqual(await play(one, 11));
  });

  it.each([
    ['a policy gradient', policyGradient],
    ['a loss over pairs of rows', preference],
  ])('%s: results and step do not depend on micro-batches or cores', async (_, loss) => {
    const reference = await policyOf({ microBatchTokens: 1 << 20 });
    const batch = await play(reference, 10);
    const expected = await reference.forwardBackward(batch, loss);
    await reference.resetOptimizer(adamw);
    await reference.forwardBackward(batch, loss);
    const step = await reference.optimizerStep({ learningRate: 1e-3, clipNorm: 1 });
    expect(step.applied).toBe(true);
    expect(reference.policyVersion).toBe(1);
    for (const changes of [{ microBatchTokens: 100 }, { threads: 3 }]) {
      const policy = await policyOf(changes);
      await policy.resetOptimizer(adamw);
      const result = await policy.forwardBackward(batch, loss);
      for (const [name, sum] of Object.entries(expected.terms)) expect(result.terms[name]).toBeCloseTo(sum, 4);
      for (const [name, sum] of Object.entries(expected.metrics)) expect(result.metrics[name]).toBeCloseTo(sum, 3);
      expect(distance(result.logprobs, expected.logprobs)).toBeLessThan(1e-5);
      expect(distance(result.entropy!, expected.entropy!)).toBeLessThan(1e-5);
      const { gradientNorm } = await policy.optimizerStep({ learningRate: 1e-3, clipNorm: 1 });
      expect(gradientNorm / step.gradientNorm).toBeCloseTo(1, 4);
      expect(distance(await policy.logprobs(batch), await reference.logprobs(batch))).toBeLessThan(1e-3);
    }
  });

  // Goes red when the cores continue from tokens that a request did not contain: after a failed call, for an array that
  // was changed in place, for two requests of one name, or when calls overlap.
  it.each([1, 2])(
    'answers a request the same whatever was asked under its name before, on %s cores',
    async (threads) => {
      const policy = await policyOf({ threads });
      const fresh = await policyOf();
      const names = ['a', 'b', 'c'];
      const ask = (tokens: readonly number[], sequence: string) => ({
        tokens,
        sequence,
        endIds: policy.encoder.endIds,
        maxTokens: 4,
        draws: Float64Array.of(0.3, 0.9, 0.5, 0.7),
      });
      const agrees = async (tokens: readonly number[], answering = policy) => {
        const answers = await answering.generate(
          names.map((name) => ask(tokens, name)),
          sampling,
        );
        for (const answer of answers) {
          const [expected] = await fresh.generate([ask(tokens, 'alone')], sampling);
          fresh.release(['alone']);
          expect(answer.tokens).toEqual(expected!.tokens);
          answer.logprobs.forEach((logprob, index) => expect(logprob).toBeCloseTo(expected!.logprobs[index]!, 5));
        }
        return answers[0]!.tokens;
      };
      const prompt = [...policy.encoder.begin('', 'guess my number between 4 and 33')];
      prompt.push(...(await agrees(prompt)), ...policy.encoder.append('higher'));
      prompt.push(...(await agrees(prompt)), ...policy.encoder.append('lower'));
      // Changes a token in place, at a position that the cores have already read.
      prompt[3] = prompt[3] === 20 ? 21 : 20;
      await agrees(prompt);
      await agrees(prompt.slice(0, 6));
      // A call that is refused because of one request, and a call that runs at the same time.
      const other = [...prompt.slice(0, 4), 22, 23, 24];
      const refused = policy.generate([...names.map((name) => ask(other, name)), ask([1e6], 'foreign')], sampling);
      const [, overlapping] = await Promise.all([
        expect(refused).rejects.toThrow('not a token of this model'),
        agrees([...other, 25]),
      ]);
      await agrees([...other, 25, ...overlapping, 26]);
      // One name twice.
      await policy.generate(
        [...names, ...names].map((name, index) => ask([...prompt, 20 + index], name)),
        sampling,
      );
      await agrees([...prompt, 20, 21]);
      policy.release(names);
      await agrees([...prompt, 20, 21, 22]);
    },
  );

  it('learns what it is shown', async () => {
    const policy = await policyOf();
    await policy.resetOptimizer({ name: 'muon', options: {} });
    const batch = await play(policy, 8);
    const likelihood: Loss = {
      terms: { crossEntropy: { op: 'sub', left: { op: 'constant', value: 0 }, right: live } },
    };
    const losses: number[] = [];
    for (let step = 0; step < 8; step += 1) {
      losses.push((await policy.forwardBackward(batch, likelihood)).terms['crossEntropy']!);
      await policy.optimizerStep({ learningRate: 1e-2 });
    }
    expect(losses.at(-1)!).toBeLessThan(losses[0]! / 2);
  });

  it('is untouched by a batch without sampled tokens and by a gradient that is not finite', async () => {
    const policy = await policyOf();
    await policy.resetOptimizer(adamw);
    const batch = await play(policy, 4);
    const before = await policy.logprobs(batch);
    const none = await policy.forwardBackward({ ...batch, mask: new Uint8Array(batch.mask.length) }, policyGradient);
    expect(none.terms).toEqual({ policy: 0, entropy: 0 });
    await policy.forwardBackward({ ...batch, weight: batch.weight.map(() => Infinity) }, policyGradient);
    expect((await policy.optimizerStep({ learningRate: 1 })).applied).toBe(false);
    expect(policy.policyVersion).toBe(0);
    const { gradientNorm } = await policy.optimizerStep({ learningRate: 0 });
    expect(gradientNorm).toBe(0);
    expect(await policy.logprobs(batch)).toEqual(before);
  });

  it.each([
    ['adamw', {}],
    ['adamw', { stateDtype: 'bfloat16' }],
    ['muon', {}],
    ['muon', { stateDtype: 'bfloat16' }],
    ['sgd', { momentum: 0.9 }],
  ])('goes on exactly after a save and a load, %s %j', async (name, options) => {
    const train = async (policy: PolicyModel, batch: TrainingBatch) => {
      await policy.forwardBackward(batch, policyGradient);
      await policy.optimizerStep({ learningRate: 1e-3, clipNorm: 1 });
    };
    const policy = await policyOf({ threads: 2 }, { valueHead: true });
    await policy.resetOptimizer({ name, options });
    const batch = await play(policy, 6);
    await train(policy, batch);
    const directory = await mkdtemp(join(tmpdir(), 'agentgym-checkpoint-'));
    await policy.save(directory);
    await train(policy, batch);
    const other = await policyOf({ threads: 2 }, { valueHead: true });
    await other.load(directory);
    expect(other.policyVersion).toBe(1);
    await train(other, batch);
    expect(await other.logprobs(batch)).toEqual(await policy.logprobs(batch));
    expect(await other.values!(batch)).toEqual(await policy.values!(batch));
    const fresh = await policyOf({}, { from: directory, valueHead: true });
    expect(fresh.encoder.begin('', 'guess 4')).toEqual(policy.encoder.begin('', 'guess 4'));
    await expect(policy.load(join(directory, 'none'))).rejects.toThrow();
  });

  it('freezes itself', async () => {
    const policy = await policyOf();
    await policy.resetOptimizer(adamw);
    const batch = await play(policy, 4);
    const reference = await policy.freeze();
    const before = await policy.logprobs(batch);
    await policy.forwardBackward(batch, policyGradient);
    await policy.optimizerStep({ learningRate: 1e-2 });
    expect(await reference.logprobs(batch)).toEqual(before);
    expect(distance(await policy.logprobs(batch), before)).toBeGreaterThan(1e-3);
    await reference.dispose();
    await expect(reference.logprobs(batch)).rejects.toThrow('disposed');
  });
});

describe('an adapter', () => {
  const lora = { loraRank: 4 };
  /** A folder of a model with random weights. */
  const baseFolder = async () => {
    const directory = await mkdtemp(join(tmpdir(), 'agentgym-base-'));
    await (await policyOf()).save(directory);
    return directory;
  };
  const train = async (policy: PolicyModel, batch: TrainingBatch, learningRate = 1e-2) => {
    await policy.forwardBackward(batch, policyGradient);
    return policy.optimizerStep({ learningRate, clipNorm: 1 });
  };

  // Goes red when sampling or training forgets the adapter, when a frozen weight is trained, or when sampling keeps an
  // older adapter or its row scales.
  it.each([
    ['LoRA', lora, 0],
    // The magnitude of a row over its length is 1 but for rounding.
    ['DoRA', { ...lora, loraDora: true }, 1e-5],
  ])(
    '%s changes nothing at first, then what is sampled and trained alike, and never its base',
    async (_, lora, most) => {
      const from = await baseFolder();
      const plain = await policyOf({}, { from });
      const policy = await policyOf(lora, { from });
      await policy.resetOptimizer(adamw);
      const batch = await play(plain, 8);
      const before = await policy.logprobs(batch);
      expect(distance(before, await plain.logprobs(batch))).toBeLessThanOrEqual(most);
      const reference = await policy.freeze();
      for (let step = 0; step < 3; step += 1) expect((await train(policy, batch)).applied).toBe(true);
      expect(distance(await policy.logprobs(batch), await plain.logprobs(batch))).toBeGreaterThan(1e-2);
      expect(await reference.logprobs(batch)).toEqual(before);

      const own = await play(policy, 8);
      const logprobs = await policy.logprobs(own);
      const sampled = [...own.mask.entries()].filter(([, mask]) => mask === 1);
      expect(sampled.length).toBeGreaterThan(16);
      for (const [index] of sampled) expect(Math.abs(logprobs[index]! - own.logprobs[index]!)).toBeLessThan(1e-4);

      const directory = await mkdtemp(join(tmpdir(), 'agentgym-adapter-'));
      await policy.save(directory);
      expect((await readdir(directory)).sort()).toEqual([
        'adapter_config.json',
        'adapter_model.safetensors',
        'base.json',
        'chat_template.jinja',
        'tokenizer.json',
        'tokenizer_config.json',
        'trainer_state.safetensors',
      ]);
      const merged = await policyOf({}, { from: directory });
      expect(distance(await merged.logprobs(own), logprobs)).toBeLessThan(1e-4);
      expect(distance(await merged.logprobs(own), await plain.logprobs(own))).toBeGreaterThan(1e-2);
    },
  );

  it('goes on exactly after a save and a load, on two cores and with a value head', async () => {
    const from = await baseFolder();
    const open = () => policyOf({ ...lora, threads: 2 }, { from, valueHead: true });
    const policy = await open();
    await policy.resetOptimizer(adamw);
    const batch = await play(policy, 6);
    await train(policy, batch);
    const directory = await mkdtemp(join(tmpdir(), 'agentgym-adapter-'));
    await policy.save(directory);
    await train(policy, batch);
    const other = await open();
    await other.load(directory);
    await train(other, batch);
    expect(await other.logprobs(batch)).toEqual(await policy.logprobs(batch));
    expect(await other.values!(batch)).toEqual(await policy.values!(batch));
    expect(await play(other, 6)).toEqual(await play(policy, 6));
  });

  it('has only its own gradients and moments', async () => {
    const policy = await policyOf({ ...lora, loraTargets: ['q_proj', 'v_proj'] }, { from: await baseFolder() });
    // Two layers, two matrices of 64 x 64 each, two factors of rank 4.
    expect(policy.describe()['trainable']).toBe(2 * 2 * 2 * 4 * 64);
  });

  it('is refused without a base, and beside an adapter with other settings', async () => {
    await expect(policyOf(lora)).rejects.toThrow('set `policy.from`');
    const policy = await policyOf(lora, { from: await baseFolder() });
    const directory = await mkdtemp(join(tmpdir(), 'agentgym-adapter-'));
    await policy.save(directory);
    await expect(policyOf({ loraRank: 8 }, { from: directory })).rejects.toThrow(/has an adapter .*"rank":4/);
  });
});

function distance(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, index) => Math.max(most, Math.abs(value - b[index]!)), 0);
}
