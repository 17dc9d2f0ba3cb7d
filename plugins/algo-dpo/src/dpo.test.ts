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

import { create } from './dpo.js';
import { options, validate, type Options } from './options.js';

const defaults = optionDefaults(options);
const dpo = (chosen: Partial<Options> = {}): Algorithm => create({ ...defaults, ...chosen }, testHost());

describe('select', () => {
  const episode = (earned: number, mask: readonly number[] = [0, 1]): CompletedEpisode =>
    ({ return: earned, sequences: [{ tokens: mask, mask, logprobs: mask }] }) as unknown as CompletedEpisode;
  /** Pairs, as indices of the members in the group. */
  const selected = (group: readonly CompletedEpisode[], chosen: Partial<Options> = {}): number[][] =>
    dpo(chosen).select!(group).map((pair) => pair.map((member) => group.indexOf(member)));
  const group = (...returns: readonly number[]): CompletedEpisode[] => returns.map((earned) => episode(earned));

  // Goes red when winner and loser are swapped, when an episode occurs twice in matched pairs, when equal returns are
  // paired, or when the limit does not take the pairs that differ most.
  it.each<[string, readonly number[], Partial<Options>, number[][]]>([
    ['matches the best with the worst, and so on inwards', [3, 0, 1, 5, 2], {}, [[3, 1], [0, 2]]], // prettier-ignore
    ['matches as many as there are winners', [0, 1, 0, 0, 1, 0], {}, [[1, 5], [4, 3]]], // prettier-ignore
    ['matches as many as there are losers', [1, 1, 0, 1], {}, [[0, 2]]],
    ['takes the best and the worst', [3, 0, 1, 5, 2], { pairsPerTask: 1 }, [[3, 1]]],
    ['takes all', [2, 0, 1], { pairing: 'all' }, [[0, 1], [0, 2], [2, 1]]], // prettier-ignore
    ['lets everyone play once before anyone plays twice', [1, 0, 1, 0], { pairing: 'all' }, [[0, 3], [2, 1], [0, 1], [2, 3]]], // prettier-ignore
    ['takes what differs most of all', [2, 0, 1, 0], { pairing: 'all', pairsPerTask: 3 }, [[0, 3], [0, 1], [2, 1]]], // prettier-ignore
    ['takes nothing of equal returns', [1, 1, 1], {}, []],
    ['takes nothing of returns that are equal but for rounding', [0.1 + 0.2 + 0.4, 0.7], {}, []],
    ['takes rounding for a difference where it is told to', [0.1 + 0.2 + 0.4, 0.7], { margin: 0 }, [[0, 1]]],
    ['takes nothing of a group of one', [1], {}, []],
    ['asks for more than the margin', [1, 0.5, 0], { margin: 0.5, pairing: 'all' }, [[0, 2]]],
  ])('%s', (_title, returns, chosen, expected) => {
    expect(selected(group(...returns), chosen)).toEqual(expected);
  });

  // Goes red when an episode without a sampled token is chosen: a pair with it teaches nothing, but counts in the mean.
  it('leaves out episodes without a sampled token', () => {
    const { sequences: _sequences, ...bare } = episode(2);
    expect(selected([episode(3, [0, 0]), episode(1), bare, episode(0), episode(-1, [])])).toEqual([[1, 3]]);
  });

  // Goes red when the loop does not learn that minibatches must not separate two rows, or what to do with a group
  // without a pair.
  it('promises pairs', () => {
    const { pairs, refillRounds, roles } = dpo({ refillRounds: 2 });
    expect({ pairs, refillRounds, roles }).toEqual({ pairs: true, refillRounds: 2, roles: ['reference'] });
  });
});

/** Winner and loser: sequences of different lengths, with gaps that begin and end anywhere. */
const masks = [
  [[0, 1, 1, 0, 0, 1, 0], [0, 1, 0, 1, 1, 1, 1]], // prettier-ignore
  [[0, 0, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]], // prettier-ignore
  [[0, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 1]], // prettier-ignore
];
const width = 7;
const rowsOf = (pairs: readonly number[]): number[][] => pairs.flatMap((pair) => masks[pair]!);
const random = testHost(4).random.stream('numbers');
const draw = (low: number, high: number): number[][][] =>
  masks.map((pair) => pair.map((row) => row.map((mask) => (mask === 1 ? low + (high - low) * random.uniform() : NaN))));
const recorded = { logprob: draw(-4, 0), reference: draw(-4, 0), entropy: draw(0, 1), rewards: draw(-1, 1) };
const array = (of: readonly (readonly (readonly number[])[])[], pairs: readonly number[]): Float64Array =>
  Float64Array.from(pairs.flatMap((pair) => of[pair]!.flat()));

/** Some pairs as the loop passes them, NaN where nothing was sampled. */
function batchOf(pairs: readonly number[]): TrainingBatch {
  const rows = 2 * pairs.length;
  const sampled = rowsOf(pairs).flat();
  const nothing = (): Float64Array => Float64Array.from(sampled, (mask) => (mask === 1 ? 0 : NaN));
  return {
    ...emptyBatch({ rows, width, temperature: 1 }),
    length: new Int32Array(rows).fill(width),
    mask: Uint8Array.from(sampled),
    turn: Int32Array.from(sampled, (mask) => mask - 1),
    weight: nothing(),
    logprobs: nothing(),
    advantages: nothing(),
    referenceLogprobs: array(recorded.reference, pairs),
    rewards: array(recorded.rewards, pairs),
    group: Int32Array.from({ length: rows }, (_, row) => Math.floor(row / 2)),
    truncated: Uint8Array.from({ length: rows }, (_, row) => row % 2),
  };
}

/** Computes a batch as the loop does. */
function run(algorithm: Algorithm, batch: TrainingBatch, logprob: Float64Array, whole?: Float64Array) {
  const { advantages, metrics: logged } = algorithm.advantages(batch, {});
  const credited = { ...batch, advantages };
  const weight = whole ?? algorithm.weights(credited);
  const live = { logprob, entropy: logprob.map((value) => -value) };
  const loss = algorithm.loss(lossOperations, lossInputs);
  // Metrics of a row are on all of its tokens.
  const result = evaluateLoss({ ...credited, weight }, live, { ...loss, metrics: loss.episodeMetrics! });
  const total = Object.values(result.terms).reduce((sum, term) => sum + term, 0);
  return { ...result, total, advantages, logged, weight };
}

/** One pair by definition: token by token, as if there were nothing between them. */
function pairByTheBook(pair: number, logprob: readonly (readonly number[])[], chosen: Options) {
  const scores = [0, 1].map((side) => {
    let sum = 0;
    let count = 0;
    let crossEntropy = 0;
    for (let t = 0; t < width; t += 1) {
      if (masks[pair]![side]![t] === 0) continue;
      sum += logprob[side]![t]! - recorded.reference[pair]![side]![t]!;
      crossEntropy -= logprob[side]![t]!;
      count += 1;
    }
    return { score: chosen.lengthNormalized ? sum / count : sum, count, crossEntropy: crossEntropy / count };
  });
  const [winner, loser] = [scores[0]!, scores[1]!];
  const h = winner.score - loser.score;
  const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
  const e = chosen.labelSmoothing;
  const preference =
    chosen.loss === 'ipo'
      ? (h - 1 / (2 * chosen.beta)) ** 2
      : -(1 - e) * Math.log(sigmoid(chosen.beta * h)) - e * Math.log(1 - sigmoid(chosen.beta * h));
  return {
    loss: preference + chosen.sftCoefficient * winner.crossEntropy,
    tokens: winner.count + loser.count,
    chosen: chosen.beta * winner.score,
    rejected: chosen.beta * loser.score,
  };
}

/** Splits [rows, width] back into pairs of rows. */
const pairsOf = (flat: Float64Array): number[][][] =>
  Array.from({ length: flat.length / width / 2 }, (_, pair) =>
    [0, 1].map((side) => Array.from(flat.subarray((2 * pair + side) * width, (2 * pair + side + 1) * width))),
  );

function meanByTheBook(pairs: readonly number[], logprob: Float64Array, chosen: Options): number {
  const live = pairsOf(logprob);
  return pairs.reduce((sum, pair, place) => sum + pairByTheBook(pair, live[place]!, chosen).loss, 0) / pairs.length;
}

/** The derivative of `total` by the log probability of each sampled token, by central differences. */
function differences(logprob: Float64Array, total: (logprob: Float64Array) => number): number[] {
  const step = 1e-5;
  return Array.from(logprob, (value, index) => {
    if (Number.isNaN(value)) return 0;
    const moved = (by: number): number => total(logprob.map((other, i) => (i === index ? other + by : other)));
    return (moved(step) - moved(-step)) / (2 * step);
  });
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, digits: number): void {
  expect(actual.length).toBe(expected.length);
  expect(Math.max(...Array.from(expected, (value, i) => Math.abs(value - actual[i]!)))).toBeLessThan(10 ** -digits);
}

const all = [0, 1, 2];

describe('the loss', () => {
  const variants: readonly Partial<Options>[] = [
    {},
    { beta: 2 },
    { labelSmoothing: 0.2, beta: 0.7 },
    { lengthNormalized: true, beta: 1 },
    { loss: 'ipo', beta: 0.3 },
    { loss: 'ipo', lengthNormalized: true },
    { sftCoefficient: 0.5 },
    { sftCoefficient: 0.5, loss: 'ipo', lengthNormalized: true, beta: 0.9 },
  ];

  // Goes red when a token of an observation counts, when a pair is weighted by its tokens, when beta, the smoothing or
  // a
  // sign is in another place, when sums become means, or when losers are imitated too.
  it.each(variants)('is the mean over pairs by the book, and so is its derivative: %o', (variant) => {
    const chosen = { ...defaults, ...variant };
    const logprob = array(recorded.logprob, all);
    const { total, gradients } = run(dpo(variant), batchOf(all), logprob);
    expect(total).toBeCloseTo(meanByTheBook(all, logprob, chosen), 12);
    expectClose(
      gradients.logprob,
      differences(logprob, (moved) => meanByTheBook(all, moved, chosen)),
      7,
    );
    expect(gradients.entropy.every((slope) => slope === 0)).toBe(true);
  });

  // Goes red when pairs affect each other: with the weights of the minibatch, its parts must add up to it, and a single
  // pair must be its own mean.
  it('is the same in parts', () => {
    const algorithm = dpo({ sftCoefficient: 0.3 });
    const whole = run(algorithm, batchOf(all), array(recorded.logprob, all));
    const size = 2 * width;
    const parts = all.map((pair) => {
      const weight = whole.weight.slice(pair * size, (pair + 1) * size);
      return run(algorithm, batchOf([pair]), array(recorded.logprob, [pair]), weight);
    });
    expect(parts.reduce((sum, { total }) => sum + total, 0)).toBeCloseTo(whole.total, 12);
    expectClose(
      parts.flatMap(({ gradients }) => Array.from(gradients.logprob)),
      whole.gradients.logprob,
      12,
    );
    const alone = run(algorithm, batchOf([1]), array(recorded.logprob, [1]));
    expect(alone.total).toBeCloseTo(3 * parts[1]!.total, 12);
  });

  // Goes red when the loss computes exp(beta h), which would be Infinity with derivative NaN.
  it('stays finite however far the policy has gone', () => {
    for (const far of [-1e5, 1e5]) {
      const logprob = array(recorded.logprob, [0]).map((value, index) => (index < width ? value + far : value));
      const { total, gradients } = run(dpo(), batchOf([0]), logprob);
      expect(Number.isFinite(total)).toBe(true);
      expect(gradients.logprob[1]).toBeCloseTo(far > 0 ? 0 : -0.1, 12);
    }
  });

  // Goes red when a row without a sampled token changes the other row of its pair.
  it('learns nothing from a pair with an empty row', () => {
    const batch = batchOf([0]);
    const emptied = { ...batch, mask: batch.mask.map((mask, index) => (index < width ? mask : 0)) };
    const { gradients } = run(dpo(), emptied, array(recorded.logprob, [0]));
    expect(gradients.logprob.every((slope) => slope === 0)).toBe(true);
  });
});

describe('what is logged', () => {
  // Goes red when a reward is in the other row, lacks beta, or counts on only one row.
  it.each<Partial<Options>>([{}, { beta: 0.7, lengthNormalized: true }])('is what the pairs imply: %o', (variant) => {
    const { metrics } = run(dpo(variant), batchOf(all), array(recorded.logprob, all));
    const pairs = all.map((pair) => pairByTheBook(pair, recorded.logprob[pair]!, { ...defaults, ...variant }));
    const overTokens = (of: (pair: (typeof pairs)[number]) => number): number =>
      pairs.reduce((sum, pair) => sum + pair.tokens * of(pair), 0);
    expect(metrics['reward_chosen']).toBeCloseTo(
      overTokens(({ chosen }) => chosen),
      12,
    );
    expect(metrics['reward_rejected']).toBeCloseTo(
      overTokens(({ rejected }) => rejected),
      12,
    );
    expect(metrics['reward_margin']).toBeCloseTo(
      overTokens(({ chosen, rejected }) => chosen - rejected),
      12,
    );
    expect(metrics['accuracy']).toBe(overTokens(({ chosen, rejected }) => Number(chosen > rejected)));
    expect(new Set(pairs.map(({ chosen, rejected }) => chosen > rejected)).size).toBe(2);
  });

  // Goes red when the sides are swapped, or when returns are not summed over an episode.
  it('marks winners and losers, and says how far their returns are apart', () => {
    const { advantages, logged } = run(dpo(), batchOf(all), array(recorded.logprob, all));
    const sum = (row: readonly number[]): number => row.reduce((total, x) => total + (Number.isNaN(x) ? 0 : x), 0);
    const gaps = recorded.rewards.map(([winner, loser]) => sum(winner!) - sum(loser!));
    expect(pairsOf(advantages)).toEqual(masks.map(([winner, loser]) => [winner, loser!.map((mask) => mask && -mask)]));
    expect(logged!['pairs']).toBe(3);
    expect(logged!['return_gap']).toBeCloseTo(sum(gaps) / 3, 12);
  });
});

describe('validate', () => {
  const settings = { groupSize: 8, epochs: 2, minibatches: 4, recomputeLogprobs: false, importanceCap: 2 };
  /** The host drops complaints about idle defaults that were not set. */
  const written = (chosen: Partial<Options>, changed: Partial<typeof settings> = {}): string[] =>
    validate({ ...defaults, ...chosen }, { ...settings, ...changed }, optionChecks)
      .filter(({ idle, path }) => idle !== true || path.join('.') in chosen)
      .map(({ path, setting = path.join('.') }) => setting);

  // Goes red when correct options cause a complaint.
  it('has nothing to say about the defaults', () => {
    expect(written({})).toEqual([]);
    expect(written({}, { groupSize: 2, epochs: 1, minibatches: 1 })).toEqual([]);
  });

  // Goes red when a rule is missing, reversed, or off by one.
  it.each<[string, Partial<Options>, Partial<typeof settings>, string[]]>([
    ['a group of one', {}, { groupSize: 1 }, ['groupSize']],
    ['probabilities that nobody reads', {}, { recomputeLogprobs: true }, ['recomputeLogprobs']],
    ['a pairing where there is one pair', { pairing: 'all' }, { groupSize: 2 }, ['pairing']],
    ['a pairing where one pair is wanted', { pairing: 'all', pairsPerTask: 1 }, {}, ['pairing']],
    ['a pairing', { pairing: 'all', pairsPerTask: 2 }, {}, []],
    ['a limit that no group reaches', { pairsPerTask: 4 }, {}, ['pairsPerTask']],
    ['a limit', { pairsPerTask: 3 }, {}, []],
    ['a limit that no group reaches, of all pairs', { pairing: 'all', pairsPerTask: 28 }, {}, ['pairsPerTask']],
    ['a limit of all pairs', { pairing: 'all', pairsPerTask: 27 }, {}, []],
    ['a smoothing that is not read', { loss: 'ipo', labelSmoothing: 0.1 }, {}, ['labelSmoothing']],
    ['a smoothing that leaves nothing', { labelSmoothing: 0.5 }, {}, ['labelSmoothing']],
    ['a smoothing', { labelSmoothing: 0.1 }, {}, []],
  ])('%s', (_title, chosen, changed, expected) => {
    expect(written(chosen, changed)).toEqual(expected);
  });
});
