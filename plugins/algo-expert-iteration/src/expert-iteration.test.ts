import type { Algorithm, CompletedEpisode, TrainingBatch } from '@agentgym/cli';
import {
  emptyBatch,
  evaluateLoss,
  lossInputs,
  lossOperations,
  optionChecks,
  optionDefaults,
  testHost,
} from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { create } from './expert-iteration.js';
import { options, validate, type Options } from './options.js';

const defaults = optionDefaults(options);
const expertIteration = (chosen: Partial<Options> = {}): Algorithm => create({ ...defaults, ...chosen }, testHost());

/** An episode with a turn for each list of sampled tokens, and an observation of one token before each turn. */
function episode(earned: number, turns: readonly (readonly number[])[], success = earned >= 1): CompletedEpisode {
  const tokens: number[] = [];
  const mask: (0 | 1)[] = [];
  const played = turns.map((sampled, turn) => {
    tokens.push(1);
    mask.push(0);
    const start = tokens.length;
    tokens.push(...sampled);
    mask.push(...sampled.map(() => 1 as const));
    const facts = { success: success && turn === turns.length - 1, invalid: false };
    const reward = turn === turns.length - 1 ? earned : 0;
    const text = { observation: 'o', text: 'a', action: 'a', cut: false, components: {}, native: reward };
    return { ...text, reward, facts, sampled: [start, tokens.length] as const, policyVersion: 0 };
  });
  return {
    iteration: 1,
    task: 'task',
    group: 0,
    member: 0,
    status: 'completed',
    turns: played,
    finalObservation: 'end',
    terminated: true,
    success,
    return: earned,
    sequences: [{ tokens, mask, logprobs: tokens.map(() => 0) }],
    retries: 0,
  };
}

describe('select', () => {
  const won = episode(1, [[5, 6], [7]]);
  const again = episode(1, [[5, 6], [7]]);
  const otherwise = episode(1, [[5], [8]]);
  const better = episode(1.5, [[9]]);
  const half = episode(0.5, [[5, 6]]);
  const lost = episode(0, [[4]]);
  const group = [half, won, again, lost, otherwise, better];
  const { sequences: _sequences, ...bare } = won;

  // Goes red when failures stay, when copies count, when perTask keeps the first instead of the best, or when a return
  // equal to the threshold is kept.
  it.each<[string, Partial<Options>, readonly CompletedEpisode[], readonly CompletedEpisode[]]>([
    ['successes, each once', {}, group, [better, won, otherwise]],
    ['every success', { distinct: false }, group, [better, won, again, otherwise]],
    ['the best', { perTask: 1 }, group, [better]],
    ['the best two, not counting copies', { perTask: 2 }, [won, again, otherwise], [won, otherwise]],
    ['returns above a threshold', { keep: 'return', returnAbove: 0.4 }, group, [better, won, otherwise, half]],
    ['returns above, not at it', { keep: 'return', returnAbove: 1 }, group, [better]],
    ['a success with a low return', {}, [episode(-3, [[5]], true), lost], [episode(-3, [[5]], true)]],
    ['a group of one', {}, [won], [won]],
    ['nothing', {}, [half, lost], []],
    ['nothing where nothing was sampled', {}, [episode(1, [], true), episode(1, [[]], true), bare], []],
  ])('takes %s', (_title, chosen, given, expected) => {
    const units = expertIteration(chosen).select?.(given);
    expect(units).toEqual(expected.length === 0 ? [] : [expected]);
  });

  // Goes red when sort or filter change the group in place.
  it('leaves the group as it was', () => {
    const before = [...group];
    expertIteration().select?.(group);
    expect(group).toEqual(before);
  });

  // Goes red when the option does not reach the loop.
  it('offers further tasks for groups with nothing to imitate', () => {
    expect(expertIteration().refillRounds).toBe(0);
    expect(expertIteration({ refillRounds: 3 }).refillRounds).toBe(3);
  });
});

/**
 * Sequences with gaps, dense rewards, a truncated sequence, a group of one and a row without a sampled token. NaN where
 * nothing was sampled.
 */
const masks = [
  [0, 1, 1, 0, 0, 1, 0],
  [0, 1, 0, 1, 1, 1, 1],
  [0, 0, 0, 0, 0, 0, 0],
  [0, 0, 1, 0, 0, 0, 0],
];
const rows = masks.length;
const width = masks[0]!.length;
const sampled = masks.flat();
const tokens = sampled.reduce((sum, mask) => sum + mask, 0);
const random = testHost(3).random.stream('numbers');
const numbers = (draw: () => number): Float64Array => Float64Array.from(sampled, (mask) => (mask === 1 ? draw() : NaN));
const batch: TrainingBatch = {
  ...emptyBatch({ rows, width, temperature: 1 }),
  length: new Int32Array(rows).fill(width),
  mask: Uint8Array.from(sampled),
  turn: Int32Array.from(sampled, (mask) => mask - 1),
  weight: numbers(() => NaN),
  logprobs: numbers(() => -3 * random.uniform()),
  referenceLogprobs: numbers(() => -3 * random.uniform()),
  rewards: numbers(() => random.normal()),
  advantages: numbers(() => NaN),
  group: Int32Array.of(0, 0, 0, 1),
  truncated: Uint8Array.of(0, 1, 0, 0),
};
const logprob = numbers(() => -3 * random.uniform());
const entropy = numbers(() => 2 * random.uniform());

/** Computes a batch as the loop does, with a policy that has changed since sampling. */
function run(algorithm: Algorithm, advantage?: Float64Array) {
  const { advantages, klCoefficient } = algorithm.advantages(batch, algorithm.initialState);
  const credited = {
    ...batch,
    advantages: advantage ?? advantages,
    ...(klCoefficient !== undefined && { klCoefficient: numbers(() => klCoefficient) }),
  };
  const weighted = { ...credited, weight: algorithm.weights(credited) };
  const result = evaluateLoss(weighted, { logprob, entropy }, algorithm.loss(lossOperations, lossInputs));
  return { ...result, advantages };
}

/** Aggregates `loss`, given by index, row by row, as each aggregation is defined. */
function aggregate(aggregation: Options['aggregation'], loss: (index: number) => number): number {
  let sum = 0;
  let sequences = 0;
  for (let row = 0; row < rows; row += 1) {
    let inRow = 0;
    let count = 0;
    for (let t = 0; t < width; t += 1) {
      if (masks[row]![t] === 0) continue;
      inRow += loss(row * width + t);
      count += 1;
    }
    if (count === 0) continue;
    sequences += 1;
    sum += aggregation === 'sequence-mean-token-mean' ? inRow / count : inRow;
  }
  switch (aggregation) {
    case 'token-mean':
      return sum / tokens;
    case 'constant-length':
      return sum / (sequences * 10);
    case 'sequence-mean-token-mean':
    case 'sequence-mean-token-sum':
      return sum / sequences;
  }
}

/** The derivative of `total` by the log probability of each sampled token, by central differences. */
function differences(total: (logprob: Float64Array) => number): number[] {
  const step = 1e-5;
  return Array.from(logprob, (_, index) => {
    if (sampled[index] === 0) return 0;
    const moved = (by: number): number => total(logprob.map((value, i) => (i === index ? value + by : value)));
    return (moved(step) - moved(-step)) / (2 * step);
  });
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, digits: number): void {
  expect(actual.length).toBe(expected.length);
  expect(Math.max(...Array.from(expected, (value, i) => Math.abs(value - actual[i]!)))).toBeLessThan(10 ** -digits);
}

describe('the loss', () => {
  // Goes red with another sign, another aggregation, or when rewards affect the loss.
  const aggregations = [
    'token-mean',
    'sequence-mean-token-mean',
    'sequence-mean-token-sum',
    'constant-length',
  ] as const;
  it.each(aggregations)('is the cross entropy of all that is imitated: %s', (aggregation) => {
    const constantLength = aggregation === 'constant-length' ? 10 : null;
    const { terms, gradients, advantages } = run(expertIteration({ aggregation, constantLength }));
    const slow = (of: Float64Array): number => aggregate(aggregation, (index) => -of[index]!);
    expect(Array.from(advantages)).toEqual(sampled);
    expect(Object.keys(terms)).toEqual(['policy']);
    expect(terms['policy']).toBeCloseTo(slow(logprob), 12);
    expectClose(gradients.logprob, differences(slow), 8);
  });

  // Goes red when a term is left out, has another sign, or is estimated in another way.
  it.each(options.kl.change.klEstimator.choices)('adds divergence and entropy: %s', (klEstimator) => {
    const [klCoefficient, entropyCoefficient] = [0.3, 0.2];
    const algorithm = expertIteration({ klCoefficient, klEstimator, entropyCoefficient });
    const { terms, gradients } = run(algorithm);
    const divergence = (estimator: Options['klEstimator'], d: number): number => {
      if (estimator === 'abs') return Math.abs(d);
      return estimator === 'k2' ? d ** 2 / 2 : Math.exp(-d) - 1 + d;
    };
    const slow = (of: Float64Array, estimator: Options['klEstimator']): number =>
      aggregate('token-mean', (i) => klCoefficient * divergence(estimator, of[i]! - batch.referenceLogprobs![i]!));
    const learnt = klEstimator === 'k3-straight-through' ? 'k2' : klEstimator;
    const imitation = (of: Float64Array): number => aggregate('token-mean', (index) => -of[index]!);
    expect(algorithm.roles).toEqual(['reference']);
    expect(terms['kl']).toBeCloseTo(slow(logprob, klEstimator), 12);
    expect(terms['entropy']).toBeCloseTo(
      aggregate('token-mean', (i) => -entropyCoefficient * entropy[i]!),
      12,
    );
    expectClose(
      gradients.logprob,
      differences((of) => imitation(of) + slow(of, learnt)),
      8,
    );
    expectClose(
      gradients.entropy,
      sampled.map((mask) => (-entropyCoefficient * mask) / tokens),
      12,
    );
  });

  // Goes red when the loss is -log p for every advantage: weights of recomputed log probabilities would be lost.
  it('follows the weights that correct for the sampler', () => {
    const weights = numbers(() => 2 * random.uniform());
    const { gradients } = run(expertIteration(), weights);
    expectClose(
      gradients.logprob,
      sampled.map((mask, i) => (mask === 1 ? -weights[i]! / tokens : 0)),
      12,
    );
  });

  // Goes red when the coefficient is not adapted, or adapted in the wrong direction.
  it('steers the coefficient to a divergence, in the state', () => {
    const algorithm = expertIteration({ klCoefficient: 0.3, klTarget: 1e-3, klHorizon: 10 });
    const first = algorithm.advantages(batch, algorithm.initialState);
    const second = algorithm.advantages(batch, first.state);
    expect([first.klCoefficient, second.klCoefficient]).toEqual([0.3, 0.3 * (1 + (0.2 * rows) / 10)]);
    expect(first.metrics).toEqual({ kl_coefficient: 0.3, episodes_kept: rows });
  });

  // Goes red when an unused frozen copy is kept, or when a divergence is logged without a reference.
  it('asks for a reference exactly where it reads one', () => {
    expect(expertIteration().roles).toEqual([]);
    expect(run(expertIteration()).terms['kl']).toBeUndefined();
  });
});

describe('validate', () => {
  const settings = { groupSize: 8, epochs: 1, minibatches: 1, recomputeLogprobs: false, importanceCap: 2 };
  /** The host drops complaints about idle defaults that were not set. */
  const written = (chosen: Partial<Options>, changed: Partial<typeof settings> = {}): string[] =>
    validate({ ...defaults, ...chosen }, { ...settings, ...changed }, optionChecks)
      .filter(({ idle, path }) => idle !== true || path.join('.') in chosen)
      .map(({ path }) => path.join('.'));

  // Goes red when correct options cause a complaint.
  it('has nothing to say about the defaults', () => {
    expect(written({})).toEqual([]);
    expect(written({}, { groupSize: 1 })).toEqual([]);
    expect(written({}, { epochs: 3, minibatches: 4, recomputeLogprobs: true })).toEqual([]);
  });

  // Goes red when a rule is missing, reversed, or off by one.
  it.each<[string, Partial<Options>, Partial<typeof settings>, string[]]>([
    ['a threshold that nothing is measured by', { returnAbove: 0.5 }, {}, ['returnAbove']],
    ['no threshold to measure by', { keep: 'return' }, {}, ['keep']],
    ['a threshold', { keep: 'return', returnAbove: 0 }, {}, []],
    ['a limit that no group reaches', { perTask: 8 }, {}, ['perTask']],
    ['a limit', { perTask: 7 }, {}, []],
    ['copies in a group of one', { distinct: true }, { groupSize: 1 }, ['distinct']],
    ['copies where one is kept', { distinct: false, perTask: 1 }, {}, ['distinct']],
    ['copies where two are kept', { distinct: false, perTask: 2 }, {}, []],
    [
      'an estimator of nothing',
      { klEstimator: 'k2', klTarget: 1, klHorizon: 5 },
      {},
      ['klEstimator', 'klTarget', 'klHorizon'],
    ],
    ['a horizon without a target', { klCoefficient: 0.1, klHorizon: 5 }, {}, ['klHorizon']],
    ['a divergence', { klCoefficient: 0.1, klTarget: 1, klHorizon: 5, klEstimator: 'k2' }, {}, []],
    ['no length to divide by', { aggregation: 'constant-length' }, {}, ['aggregation']],
    ['a length and nothing to divide', { constantLength: 64 }, {}, ['constantLength']],
  ])('%s', (_title, chosen, changed, expected) => {
    expect(written(chosen, changed)).toEqual(expected);
  });

  // Goes red when the complaint about klIn, which is not an option here, is passed on.
  it('names only options that there are', () => {
    const found = validate(defaults, { ...settings, groupSize: 1 }, optionChecks);
    expect(found.map(({ path }) => path[0]).filter((name) => !(name! in defaults))).toEqual([]);
  });
});
