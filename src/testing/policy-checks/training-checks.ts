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

/** NaN wherever nothing was sampled, and other ids in the padding. */
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
    title: 'terms and metrics are those of the loss, at the log probabilities and entropies that are returned',
    severity: 'error',
    likelyCause:
      'an operation of losses is lowered wrongly, terms are averaged instead of summed, or metrics are weighted',
    why: 'The loss that is minimised would not be the one that the algorithm wrote.',
    cure: 'Sum weight times term over sampled tokens; check each operation against credit/evaluate-loss.',
    run: async (context) => {
      const batch = await playBatch(context);
      const loss = reinforcementLoss(context.model);
      const result = await context.model.forwardBackward(batch, loss);
      await context.model.optimizerStep({ learningRate: 0 });
      const live = { logprob: result.logprobs, entropy: result.entropy };
      const expected = evaluateLoss(batch, live, loss);
      const { tolerance } = context.settings;
      const outside = [result.logprobs, result.entropy].some((array) =>
        array.some((value, i) => value !== 0 && batch.mask[i] !== 1),
      );
      const apart = distance(await context.model.logprobs(batch), result.logprobs);
      return [
        ...differing(expected.terms, result.terms, tolerance),
        ...differing(expected.metrics, result.metrics, 10 * tolerance),
        ...(outside ? ['log probabilities or entropies are not 0 where nothing was sampled'] : []),
        ...(apart <= tolerance ? [] : [`log probabilities lie ${apart} from those of logprobs()`]),
      ];
    },
  },
  {
    id: 'accumulation',
    title: 'gradients add up: micro-batches give what one batch gives, and a batch twice gives twice as much',
    severity: 'error',
    likelyCause:
      'gradients are replaced or averaged between calls, or the loss is normalised by the tokens of a micro-batch',
    why: 'Micro-batches would be worth more or less than the batch they are cut from, or the last alone would count.',
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
      if (!(Math.abs(split - whole) <= tolerance)) found.push(`in micro-batches the norm is ${split}, in one ${whole}`);
      if (!(Math.abs(twice - 2 * whole) <= 2 * tolerance)) found.push(`once the norm is ${whole}, twice ${twice}`);
      return found;
    },
  },
  {
    id: 'masked-noise',
    title: 'what stands where nothing was sampled does not matter, NaN included, nor do the ids of padding',
    severity: 'error',
    likelyCause: 'the mask is multiplied with instead of selected by, or padding is attended to',
    why: 'What engines and algorithms leave where nothing was sampled would leak into the gradient.',
    cure: 'Select by the mask, never multiply with it: NaN times 0 is NaN.',
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
      if (!(apart <= settings.tolerance)) found.push(`log probabilities lie ${apart} apart`);
      return found;
    },
  },
  {
    id: 'empty-batch',
    title: 'a batch without sampled tokens has terms of 0 and adds no gradient',
    severity: 'error',
    likelyCause: 'something is divided by the number of sampled tokens',
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
    title: 'a gradient that is not finite is reported, cleared, and leaves weights and version as they were',
    severity: 'error',
    likelyCause: 'the norm is not looked at before the step, or the gradient stays in its buffers',
    why: 'One bad batch would end the training for good.',
    cure: 'Look at the norm before applying; clear, report `applied: false`, and keep weights and version.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const before = { version: model.policyVersion, logprobs: await model.logprobs(batch) };
      const infinite = { ...batch, weight: batch.weight.map((weight) => (weight === 0 ? 0 : Infinity)) };
      await model.forwardBackward(infinite, supervisedLoss);
      const { applied } = await model.optimizerStep({ learningRate: settings.learningRate });
      const after = distance(before.logprobs, await model.logprobs(batch));
      const found: string[] = [];
      if (applied) found.push('the step says that it was applied');
      if (after !== 0) found.push(`log probabilities moved by ${after}`);
      if (model.policyVersion !== before.version) found.push('the policy version rose');
      const norm = await gradientNorm(model, [batch], supervisedLoss);
      if (!Number.isFinite(norm)) found.push(`the gradient after it has norm ${norm}`);
      return found;
    },
  },
  {
    id: 'learns',
    title: 'steps down the loss make what was sampled likelier, and each raises the policy version by one',
    severity: 'error',
    likelyCause: 'the sign of the step, or steps that do not reach the weights that sample',
    why: 'It does not learn, or turns are stamped with the wrong version and their ratio is off.',
    cure: 'Subtract the gradient, let generate() see the new weights, and raise policyVersion by one with each applied step.',
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
        found.push(`five steps took the version from ${version} to ${model.policyVersion}`);
      return found;
    },
  },
  {
    id: 'norm-before-clipping',
    title: 'the norm that a step returns is that before clipping',
    severity: 'error',
    likelyCause:
      'the norm is taken after the gradient was scaled; the log would show the bound instead of the gradient',
    why: 'The log would show the bound instead of the gradient, and nobody would see it explode.',
    cure: 'Return the norm that was measured before scaling.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const free = await gradientNorm(model, [batch], supervisedLoss);
      await model.forwardBackward(batch, supervisedLoss);
      const { gradientNorm: clipped } = await model.optimizerStep({ learningRate: 0, clipNorm: free / 10 });
      return agree(free, clipped, settings.tolerance) ? [] : [`unclipped it is ${free}, clipped ${clipped}`];
    },
  },
  {
    id: 'reading-keeps-gradients',
    title: 'log probabilities, values and sampling leave the accumulated gradient alone',
    severity: 'error',
    likelyCause: 'a forward pass clears or adds to the gradient buffers',
    why: 'Log probabilities are asked for between micro-batches.',
    cure: 'Keep reading and learning apart: no forward pass may touch the gradient buffers.',
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
    title: 'a fresh optimizer begins without gradients',
    severity: 'error',
    likelyCause: 'only the moments are cleared',
    why: 'The first step of a stage would carry the gradient of the stage before.',
    cure: 'Clear gradients together with the moments.',
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
    title: 'where there is a value head, its values are finite, learn, and are the same in training and reading',
    severity: 'error',
    likelyCause: 'the value is read after the token instead of before it, or no derivative reaches the head',
    why: 'Advantages of a critic that is shifted by a token are noise.',
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
      if (!(apart <= settings.tolerance)) found.push(`read and trained values lie ${apart} apart`);
      if (!(norm > 0)) found.push(`the gradient of a loss of values has norm ${norm}`);
      if (!((second.terms['value'] ?? NaN) < (first.terms['value'] ?? NaN))) {
        found.push(`a step took the loss of values from ${first.terms['value']} to ${second.terms['value']}`);
      }
      return found;
    },
  },
];

/** How far a value lies from 3. */
const error = { op: 'sub', left: { op: 'live', name: 'value' }, right: { op: 'constant', value: 3 } } as const;
