import type { TrainingBatch } from '../../contracts/batch.js';
import type { Loss } from '../../contracts/loss.js';
import { evaluateLoss } from '../../credit/evaluate-loss.js';
import { selectRows } from '../../rollout/select-rows.js';
import { spoilUnsampled } from '../spoil-unsampled.js';
import {
  agree,
  distance,
  gradientNorm,
  makeRequests,
  plainSampling,
  playBatch,
  reinforcementLoss,
  supervisedLoss,
  type PolicyCheck,
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

/** Compares numbers by name. */
function differing(
  expected: { readonly [name: string]: number },
  actual: { readonly [name: string]: number },
  tolerance: number,
): readonly string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const other = actual[name] ?? NaN;
    return agree(value, other, tolerance) ? [] : [`${name} is ${other} and should be ${value}`];
  });
}

export const trainingChecks: readonly PolicyCheck[] = [
  {
    id: 'loss-value',
    title: 'terms and metrics are those of the loss at the returned log probabilities and entropies',
    severity: 'error',
    likelyCause:
      'a loss operation is lowered incorrectly, terms are averaged instead of summed, or metrics are weighted',
    why: 'The policy would minimise another loss than the algorithm defines.',
    cure: 'Sum weight times term over sampled tokens. Check each operation against credit/evaluate-loss.',
    run: async (context) => {
      const batch = await playBatch(context);
      const loss = reinforcementLoss(context.model);
      const result = await context.model.forwardBackward(batch, loss);
      await context.model.optimizerStep({ learningRate: 0 });
      const live = { logprob: result.logprobs, ...(result.entropy && { entropy: result.entropy }) };
      const expected = evaluateLoss(batch, live, loss);
      const { tolerance } = context.settings;
      const outside = Object.values(live).some((array) => array.some((value, i) => value !== 0 && batch.mask[i] !== 1));
      const apart = distance(await context.model.logprobs(batch), result.logprobs);
      return [
        ...differing(expected.terms, result.terms, tolerance),
        ...differing(expected.metrics, result.metrics, 10 * tolerance),
        ...(outside ? ['log probabilities or entropies are not 0 where nothing was sampled'] : []),
        ...(apart <= tolerance ? [] : [`log probabilities differ by ${apart} from those of logprobs()`]),
      ];
    },
  },
  {
    id: 'accumulation',
    title: 'gradients add up: micro-batches give the gradient of one batch, and a batch twice gives twice the gradient',
    severity: 'error',
    likelyCause:
      'gradients are replaced or averaged between calls, or the loss is divided by the tokens of a micro-batch',
    why: 'Micro-batches would count more or less than the whole batch, or only the last one would count.',
    cure: 'Add to the gradient buffers in forwardBackward(), and never divide there.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const loss = reinforcementLoss(model);
      const parts = [[0], [1, 2], [3]].map((rows) => selectRows(batch, rows));
      const whole = await gradientNorm(model, [batch], loss);
      const split = await gradientNorm(model, parts, loss);
      const twice = await gradientNorm(model, [batch, batch], loss);
      const found: string[] = [];
      if (!(whole > 0)) found.push(`the gradient of a batch has norm ${whole}`);
      const tolerance = 10 * settings.tolerance * whole;
      if (!(Math.abs(split - whole) <= tolerance))
        found.push(`the norm is ${split} in micro-batches, ${whole} in one batch`);
      if (!(Math.abs(twice - 2 * whole) <= 2 * tolerance))
        found.push(`the norm is ${whole} for one batch, ${twice} for the batch twice`);
      return found;
    },
  },
  {
    id: 'masked-noise',
    title: 'values where no token was sampled do not matter, NaN included; nor do the ids of padding',
    severity: 'error',
    likelyCause: 'the code multiplies with the mask instead of selecting by it, or attention reads padding',
    why: 'Values that engines and algorithms leave where no token was sampled would leak into the gradient.',
    cure: 'Select by the mask and never multiply with it: NaN times 0 is NaN.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const loss = reinforcementLoss(model);
      const outcomes = [];
      for (const given of [batch, spoil(batch)]) {
        const { terms } = await model.forwardBackward(given, loss);
        const { gradientNorm: norm } = await model.optimizerStep({ learningRate: 0 });
        outcomes.push({ ...terms, 'the norm of the gradient': norm });
      }
      const [clean = {}, noisy = {}] = outcomes;
      const apart = distance(await model.logprobs(batch), await model.logprobs(spoil(batch)));
      const found = [...differing(clean, noisy, settings.tolerance)];
      if (!(apart <= settings.tolerance)) found.push(`log probabilities differ by ${apart}`);
      return found;
    },
  },
  {
    id: 'empty-batch',
    title: 'a batch without sampled tokens has terms of 0 and adds no gradient',
    severity: 'error',
    likelyCause: 'a division by the number of sampled tokens',
    why: 'A minibatch without a sampled token would make every weight NaN.',
    cure: 'Do not divide by a count of tokens; the weights are already normalised.',
    run: async (context) => {
      const { model } = context;
      const batch = await playBatch(context);
      const loss = reinforcementLoss(model);
      const { terms } = await model.forwardBackward(withoutSampled(batch), loss);
      const alone = (await model.optimizerStep({ learningRate: 0 })).gradientNorm;
      const found = Object.entries(terms).flatMap(([name, value]) =>
        value === 0 ? [] : [`the term ${name} is ${value}`],
      );
      if (alone !== 0) found.push(`the gradient has norm ${alone}`);
      return found;
    },
  },
  {
    id: 'not-finite',
    title: 'a non-finite gradient is reported and cleared, and does not change weights and version',
    severity: 'error',
    likelyCause: 'the norm is not checked before the step, or the gradient stays in its buffers',
    why: 'One bad batch would ruin the training.',
    cure: 'Check the norm before the step. If it is not finite, clear the gradient, report `applied: false`, and keep weights and version.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const before = { version: model.policyVersion, logprobs: await model.logprobs(batch) };
      const infinite = { ...batch, weight: batch.weight.map((weight) => (weight === 0 ? 0 : Infinity)) };
      await model.forwardBackward(infinite, supervisedLoss);
      const { applied } = await model.optimizerStep({ learningRate: settings.learningRate });
      const after = distance(before.logprobs, await model.logprobs(batch));
      const found: string[] = [];
      if (applied) found.push('the step reports that it was applied');
      if (after !== 0) found.push(`log probabilities moved by ${after}`);
      if (model.policyVersion !== before.version) found.push('the policy version rose');
      const norm = await gradientNorm(model, [batch], supervisedLoss);
      if (!Number.isFinite(norm)) found.push(`the gradient after it has norm ${norm}`);
      return found;
    },
  },
  {
    id: 'learns',
    title: 'steps down the loss make the sampled tokens more likely, and each step raises the policy version by one',
    severity: 'error',
    likelyCause: 'the sign of the step, or steps that do not reach the weights used for sampling',
    why: 'The policy does not learn, or turns get the wrong version and their ratio is wrong.',
    cure: 'Subtract the gradient, use the new weights in generate(), and raise policyVersion by one with each applied step.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const likelihood = async (): Promise<number> => (await model.logprobs(batch)).reduce((sum, x) => sum + x, 0);
      const [before, version] = [await likelihood(), model.policyVersion];
      for (let step = 0; step < 5; step += 1) {
        await model.forwardBackward(batch, supervisedLoss);
        const { applied } = await model.optimizerStep({ learningRate: settings.learningRate, clipNorm: 1 });
        if (!applied) return [`step ${step} was not applied`];
      }
      const found: string[] = [];
      const after = await likelihood();
      if (!(after > before)) found.push(`the log probability of the batch went from ${before} to ${after}`);
      if (model.policyVersion !== version + 5)
        found.push(`five steps raised the version from ${version} to ${model.policyVersion}`);
      return found;
    },
  },
  {
    id: 'norm-before-clipping',
    title: 'optimizerStep returns the norm before clipping',
    severity: 'error',
    likelyCause: 'the norm is computed after scaling the gradient',
    why: 'The log would show the bound instead of the gradient norm and hide an exploding gradient.',
    cure: 'Return the norm measured before scaling.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const free = await gradientNorm(model, [batch], supervisedLoss);
      await model.forwardBackward(batch, supervisedLoss);
      const { gradientNorm: clipped } = await model.optimizerStep({ learningRate: 0, clipNorm: free / 10 });
      return agree(free, clipped, settings.tolerance)
        ? []
        : [`the norm is ${free} without clipping, ${clipped} with clipping`];
    },
  },
  {
    id: 'reading-keeps-gradients',
    title: 'log probabilities, values and sampling do not change the accumulated gradient',
    severity: 'error',
    likelyCause: 'a forward pass clears or adds to the gradient buffers',
    why: 'The trainer computes log probabilities between micro-batches.',
    cure: 'Separate reading and learning: no forward pass may change the gradient buffers.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const expected = await gradientNorm(model, [batch], supervisedLoss);
      await model.forwardBackward(batch, supervisedLoss);
      await model.logprobs(batch);
      await model.generate(makeRequests(context, 2), plainSampling);
      if (model.capabilities.live.includes('value')) await model.values?.(batch);
      const { gradientNorm: norm } = await model.optimizerStep({ learningRate: 0 });
      return agree(expected, norm, settings.tolerance) ? [] : [`the norm is ${norm} and should be ${expected}`];
    },
  },
  {
    id: 'reset-optimizer',
    title: 'a reset optimizer starts without gradients',
    severity: 'error',
    likelyCause: 'only the moments are cleared',
    why: 'The first step of a stage would contain a gradient of the previous stage.',
    cure: 'Clear the gradients together with the moments.',
    run: async (context) => {
      const { model } = context;
      const found: string[] = [];
      for (const name of model.capabilities.optimizers) {
        await model.forwardBackward(await playBatch(context), supervisedLoss);
        await model.resetOptimizer({ name, options: {} });
        const { gradientNorm: norm } = await model.optimizerStep({ learningRate: 0 });
        if (norm !== 0) found.push(`after resetting to ${name} the gradient has norm ${norm}`);
      }
      return found;
    },
  },
  {
    id: 'values',
    title: 'with a value head, values are finite, learn, and are the same in training and reading',
    severity: 'error',
    likelyCause: 'the value is read after the token instead of before it, or the head gets no gradient',
    why: 'A critic shifted by one token gives advantages of pure noise.',
    cure: 'Read the value before the token, and let its loss reach the head.',
    idle: ({ model }) => (model.capabilities.live.includes('value') ? undefined : 'it has no value head'),
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const toOne: Loss = {
        terms: { value: { op: 'mul', left: error, right: error } },
      };
      const first = await model.forwardBackward(batch, toOne);
      const { gradientNorm: norm } = await model.optimizerStep({ learningRate: settings.learningRate });
      const second = await model.forwardBackward(batch, toOne);
      await model.optimizerStep({ learningRate: 0 });
      const apart = distance((await model.values?.(batch)) ?? [], second.values ?? []);
      const found: string[] = [];
      if (!(apart <= settings.tolerance)) found.push(`values in reading and training differ by ${apart}`);
      if (!(norm > 0)) found.push(`the gradient of a value loss has norm ${norm}`);
      if (!((second.terms['value'] ?? NaN) < (first.terms['value'] ?? NaN))) {
        found.push(`a step changed the value loss from ${first.terms['value']} to ${second.terms['value']}`);
      }
      return found;
    },
  },
];

/** How far a value lies from 3. */
const error = { op: 'sub', left: { op: 'live', name: 'value' }, right: { op: 'constant', value: 3 } } as const;
