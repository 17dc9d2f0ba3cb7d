import type { TrainingBatch } from '../../contracts/batch.js';
import type { Loss } from '../../contracts/loss.js';
import type { PolicyModel } from '../../contracts/policy.js';
import { evaluateLoss } from '../../credit/evaluate-loss.js';
import { lossInputs as inputs, lossOperations as ops } from '../../credit/loss-operations.js';
import { selectRows } from '../../rollout/select-rows.js';
import { cutEpisodes } from '../cut-episodes.js';
import { spoilUnsampled } from '../spoil-unsampled.js';
import {
  differing,
  distance,
  tolerance,
  stepSize,
  onBatch,
  gradientNorm,
  makeRequests,
  plainSampling,
  type PolicyCheck,
  supervisedLoss,
} from './policy-context.js';

/** A copy with NaN at every token that was not sampled, and with other ids in the padding. */
function spoil(batch: TrainingBatch): TrainingBatch {
  const tokens = batch.tokens.map((token, index) =>
    index % batch.width >= (batch.length[Math.floor(index / batch.width)] as number) ? 1 : token,
  );
  return { ...spoilUnsampled(batch), tokens };
}

const withoutSampled = (batch: TrainingBatch): TrainingBatch => ({
  ...batch,
  mask: new Uint8Array(batch.mask.length),
  turn: new Int32Array(batch.mask.length).fill(-1),
  weight: new Float64Array(batch.mask.length),
});

const total = (terms: { readonly [name: string]: number }): number =>
  Object.values(terms).reduce((sum, value) => sum + value, 0);

/** Terms of the loss of a batch, and the norm of its gradient. */
async function learnt(model: PolicyModel, batch: TrainingBatch, loss: Loss) {
  const { terms } = await model.forwardBackward(batch, loss);
  return { ...terms, 'the norm of the gradient': await gradientNorm(model, [], loss) };
}

/** How far a value lies from 3. */
const error = { op: 'sub', left: { op: 'live', name: 'value' }, right: { op: 'constant', value: 3 } } as const;

/** Terms of whole episodes and of pairs of them, as in GSPO and DPO. */
const episodeTerms = {
  mean: ops.mul(ops.exp(ops.sequenceMean(ops.sub(inputs.logprob, inputs.logprobs))), inputs.advantages),
  pairs: ops.logsigmoid(ops.pairDifference(ops.sequenceSum(inputs.logprob))),
};

function readsEpisodes({ capabilities: { losses, missingOperations } }: PolicyModel): boolean {
  const used = JSON.stringify(episodeTerms);
  return losses === undefined && !missingOperations.some((name) => used.includes(`"op":"${name}"`));
}

/** Planned decrease of the loss by one step: large compared with 32-bit rounding, small compared with the curvature. */
const wanted = 2e-3;

/** Allowed relative difference of slope and norm, after the correction for curvature. */
const allowed = 0.05;

export const trainingChecks: readonly PolicyCheck[] = [
  {
    id: 'loss-value',
    title: 'terms and metrics are those of the loss at the returned log probabilities and entropies',
    cure: 'Sum weight times term over sampled tokens. Check each operation against credit/evaluate-loss.',
    run: onBatch(async ({ model, batch, loss }) => {
      const { logprobs, entropy, terms, metrics } = await model.forwardBackward(batch, loss);
      await model.optimizerStep({ learningRate: 0 });
      const live = { logprob: logprobs, ...(entropy && { entropy }) };
      const expected = evaluateLoss(batch, live, loss);
      const outside = Object.values(live).some((array) => array.some((value, i) => value !== 0 && batch.mask[i] !== 1));
      const apart = distance(await model.logprobs(batch), logprobs);
      return [
        ...differing(expected.terms, terms, tolerance),
        ...differing(expected.metrics, metrics, 10 * tolerance),
        outside ? 'log probabilities or entropies are not 0 where nothing was sampled' : undefined,
        apart <= tolerance ? undefined : `log probabilities differ by ${apart} from those of logprobs()`,
      ];
    }),
  },
  {
    id: 'cut-episodes',
    title:
      'an episode in several rows, whose sampled tokens see what they saw in one row, has the loss and the gradient of one row, also if the loss reads whole episodes',
    cure: 'Sum over the rows with the same number in `episode`, not over single rows, and keep them in one micro-batch if the loss does.',
    run: onBatch(async ({ model, batch, loss }) => {
      const ofEpisodes = readsEpisodes(model) ? { terms: { ...loss.terms, ...episodeTerms } } : loss;
      const whole = await learnt(model, batch, ofEpisodes);
      const cut = await learnt(model, cutEpisodes(batch).batch, ofEpisodes);
      return differing(whole, cut, tolerance);
    }),
  },
  {
    id: 'masked-noise',
    title:
      'values where no token was sampled do not matter, NaN included, nor the ids of padding; without a sampled token, terms and gradient are 0',
    cure: 'Select by the mask and never multiply with it: NaN times 0 is NaN. Do not divide by a count of tokens: the weights are already normalised.',
    run: onBatch(async ({ model, batch, loss }) => {
      const clean = await learnt(model, batch, loss);
      const noisy = await learnt(model, spoil(batch), loss);
      const empty = await learnt(model, withoutSampled(batch), loss);
      const apart = distance(await model.logprobs(batch), await model.logprobs(spoil(batch)));
      return [
        ...differing(clean, noisy, tolerance),
        apart <= tolerance ? undefined : `log probabilities differ by ${apart}`,
        ...Object.entries(empty).map(([name, value]) =>
          value === 0 ? undefined : `without a sampled token ${name} is ${value}`,
        ),
      ];
    }),
  },
  {
    id: 'not-finite',
    title: 'a non-finite gradient is reported and cleared, and does not change weights and version',
    cure: 'Check the norm before the step. If it is not finite, clear the gradient, report `applied: false`, and keep weights and version.',
    run: onBatch(async ({ model, batch }) => {
      const before = { version: model.policyVersion, logprobs: await model.logprobs(batch) };
      const infinite = { ...batch, weight: batch.weight.map((weight) => (weight === 0 ? 0 : Infinity)) };
      await model.forwardBackward(infinite, supervisedLoss);
      const { applied } = await model.optimizerStep({ learningRate: stepSize });
      const after = distance(before.logprobs, await model.logprobs(batch));
      const version = model.policyVersion;
      const norm = await gradientNorm(model, [batch], supervisedLoss);
      return [
        applied ? 'the step reports that it was applied' : undefined,
        after === 0 ? undefined : `log probabilities moved by ${after}`,
        version === before.version ? undefined : 'the policy version rose',
        Number.isFinite(norm) ? undefined : `the gradient after it has norm ${norm}`,
      ];
    }),
  },
  {
    id: 'learns',
    title: 'steps down the loss make the sampled tokens more likely, and each step raises the policy version by one',
    cure: 'Subtract the gradient, use the new weights in generate(), and raise policyVersion by one with each applied step.',
    run: onBatch(async ({ model, batch }) => {
      const likelihood = async (): Promise<number> => (await model.logprobs(batch)).reduce((sum, x) => sum + x, 0);
      const [before, version] = [await likelihood(), model.policyVersion];
      for (let step = 0; step < 5; step += 1) {
        await model.forwardBackward(batch, supervisedLoss);
        const { applied } = await model.optimizerStep({ learningRate: stepSize, clipNorm: 1 });
        if (!applied) return `step ${step} was not applied`;
      }
      const after = await likelihood();
      const raised = model.policyVersion - version;
      return [
        after > before ? undefined : `the log probability of the batch went from ${before} to ${after}`,
        raised === 5 ? undefined : `five steps raised the version by ${raised}`,
      ];
    }),
  },
  {
    id: 'accumulation',
    title:
      'a step takes the sum of the gradients since the last one, and returns its norm before clipping; reading changes no gradient, and a reset optimizer has none',
    cure: 'Add to the gradient buffers in forwardBackward(), and never divide there. Change them nowhere else, clear them with the moments, and measure the norm before scaling.',
    run: onBatch(async (context) => {
      const { model, batch, loss } = context;
      const whole = await gradientNorm(model, [batch], loss);
      if (!(whole > 0)) return `the gradient of a batch has norm ${whole}`;
      const parts = [[0], [1, 2], [3]].map((rows) => selectRows(batch, rows));
      const split = await gradientNorm(model, parts, loss);
      const twice = await gradientNorm(model, [batch, batch], loss);
      await model.forwardBackward(batch, loss);
      await model.logprobs(batch);
      await model.generate(makeRequests(context, 2), plainSampling);
      if (model.capabilities.live.includes('value')) await model.values?.(batch);
      const read = await gradientNorm(model, [], loss);
      await model.forwardBackward(batch, loss);
      const { gradientNorm: clipped } = await model.optimizerStep({ learningRate: 0, clipNorm: whole / 10 });
      const relative = Object.entries({
        'in micro-batches': split,
        'for the batch twice': twice / 2,
        'after reading': read,
        'with clipping': clipped,
      });
      const found = relative.flatMap(([when, norm]) => {
        const apart = Math.abs(norm / whole - 1);
        return apart <= 10 * tolerance ? [] : [`${when} the norm is ${norm / whole} times what it should be`];
      });
      for (const name of model.capabilities.optimizers) {
        await model.forwardBackward(batch, loss);
        await model.resetOptimizer({ name, options: {} });
        const left = await gradientNorm(model, [], loss);
        if (left !== 0) found.push(`after resetting to ${name} the gradient has norm ${left}`);
      }
      return found;
    }),
  },
  {
    id: 'values',
    title: 'with a value head, values are finite, learn, and are the same in training and reading',
    cure: 'Read the value before the token, and let its loss reach the head.',
    idle: ({ model }) => (model.capabilities.live.includes('value') ? undefined : 'it has no value head'),
    run: onBatch(async ({ model, batch }) => {
      const toThree: Loss = { terms: { value: { op: 'mul', left: error, right: error } } };
      const first = await model.forwardBackward(batch, toThree);
      const { gradientNorm: norm } = await model.optimizerStep({ learningRate: stepSize });
      const second = await model.forwardBackward(batch, toThree);
      await model.optimizerStep({ learningRate: 0 });
      const apart = distance((await model.values?.(batch)) ?? [], second.values ?? []);
      const [was, is] = [total(first.terms), total(second.terms)];
      return [
        apart <= tolerance ? undefined : `values in reading and training differ by ${apart}`,
        norm > 0 ? undefined : `the gradient of a value loss has norm ${norm}`,
        is < was ? undefined : `a step changed the value loss from ${was} to ${is}`,
      ];
    }),
  },
  {
    // The contract returns no gradient, only its norm. To first order, a step of size h of plain gradient descent lowers
    // the loss by h times the squared norm. If the applied gradient is not the gradient of the returned loss, the two
    // numbers differ.
    id: 'finite-differences',
    title: 'a small step of plain gradient descent lowers the loss as much as the norm of the gradient predicts',
    cure: 'Check the derivative of each operation by finite differences, and check that every weight gets a gradient.',
    idle: ({ model }) =>
      model.capabilities.optimizers.includes('sgd') ? undefined : 'it has no plain gradient descent, `sgd`',
    run: onBatch(async ({ model, batch, loss }) => {
      await model.resetOptimizer({ name: 'sgd', options: {} });
      const norm = await gradientNorm(model, [batch], loss);
      if (!(norm > 0)) return `the gradient has norm ${norm}`;
      const losses = [];
      // For two steps of one size, the curvature k lowers the first decrease by k/2 and the second by 5k/2. A quarter
      // of their difference is therefore added to the first.
      for (let taken = 0; taken < 3; taken += 1) {
        losses.push(total((await model.forwardBackward(batch, loss)).terms));
        await model.optimizerStep({ learningRate: taken < 2 ? wanted / norm ** 2 : 0 });
      }
      const [before = NaN, between = NaN, after = NaN] = losses;
      const fall = (5 * (before - between) - (between - after)) / 4;
      if (Math.abs(fall / wanted - 1) <= allowed) return undefined;
      return `a step along a gradient of norm ${norm} should lower the loss by ${wanted}, but lowers it by ${fall}`;
    }),
  },
];
