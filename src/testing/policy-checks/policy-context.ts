import type { TrainingBatch } from '../../contracts/batch.js';
import type { Awaitable } from '../../contracts/environment.js';
import type { Loss, LossExpression } from '../../contracts/loss.js';
import type { GenerateRequest, PolicyModel, Sampling } from '../../contracts/policy.js';
import type { Random } from '../../contracts/random.js';
import { lossInputs as inputs, lossOperations as ops } from '../../credit/loss-operations.js';
import { buildBatch, type BatchRow } from '../../rollout/build-batch.js';
import { uniformDraws } from '../../rollout/uniform-draws.js';
import type { KitCheck, KitSettings } from '../conformance-kit.js';
import type { Found } from '../findings.js';

/** A policy model for the kit. */
export interface PolicySubject {
  /** Creates a new model; all new models have the same weights. The kit disposes of it at the end. */
  create(): Awaitable<PolicyModel>;
}

export interface PolicyCheckSettings extends KitSettings {
  /** Actions of the kind that the policy is made for; encoding and decoding must not change them. */
  readonly actions?: readonly string[];
  readonly observations?: readonly string[];
}

/** Learning rate of the kit's optimizer steps. */
export const stepSize = 1e-2;
/** Maximum difference between two computations of the same number. */
export const tolerance = 1e-4;

/** The argument of every check. Checks may train `model`, and no check relies on its original weights. */
export interface PolicyCheckContext {
  readonly model: PolicyModel;
  create(): Promise<PolicyModel>;
  readonly actions: readonly string[];
  readonly observations: readonly string[];
  readonly random: Random;
  /** A name that no other request has. */
  newSequence(): string;
}

export type PolicyCheck = KitCheck<PolicyCheckContext>;

export const plainSampling: Sampling = { temperature: 1, topP: 1, topK: 0 };

/** Requests to continue conversations of different lengths, each with its own draws. */
export function makeRequests(context: PolicyCheckContext, count: number, maxTokens = 6): GenerateRequest[] {
  const { model, observations, random } = context;
  return Array.from({ length: count }, (_, index) => {
    const some = observations.slice(0, 1 + (index % observations.length));
    return {
      tokens: model.encoder.begin(index % 2 === 0 ? '' : 'Play well.', some.join(' ')),
      sequence: context.newSequence(),
      endIds: model.encoder.endIds,
      maxTokens,
      draws: uniformDraws(random.stream('draws', index), maxTokens),
    };
  });
}

/**
 * Four conversations of two actions each, laid out as in a rollout and weighted as a mean over sampled tokens.
 * Advantages and reference are noise.
 */
export async function playBatch(context: PolicyCheckContext, temperature = 1): Promise<TrainingBatch> {
  const { model, observations, random } = context;
  const requests = makeRequests(context, 4);
  const rows = requests.map(({ tokens }) => ({
    tokens: [...tokens],
    mask: tokens.map((): 0 | 1 => 0),
    logprobs: tokens.map(() => 0),
    turns: [] as BatchRow['turns'][number][],
  }));
  for (const turn of [0, 1]) {
    const asked = requests.map((request, row) => ({
      ...request,
      tokens: rows[row]!.tokens,
      draws: uniformDraws(random.stream('play', turn, row), request.maxTokens),
    }));
    const answers = await model.generate(asked, { ...plainSampling, temperature });
    for (const [row, { tokens, mask, logprobs, turns }] of rows.entries()) {
      const answer = answers[row];
      if (answer === undefined) throw new Error(`${asked.length} requests got ${answers.length} answers`);
      const start = tokens.length;
      turns.push({ sampled: [start, start + answer.tokens.length], reward: turn });
      const next = model.encoder.append(observations[row % observations.length] ?? '');
      const after = [...(answer.ended ? [] : model.encoder.endIds.slice(0, 1)), ...next];
      tokens.push(...answer.tokens, ...after);
      mask.push(...answer.tokens.map((): 0 | 1 => 1), ...after.map((): 0 | 1 => 0));
      logprobs.push(...answer.logprobs, ...after.map(() => 0));
    }
  }
  model.release(requests.map(({ sequence }) => sequence));
  const built = buildBatch(
    rows.map(({ turns, ...record }, row) => ({ record, turns, group: Math.floor(row / 2), truncated: false })),
    temperature,
  );
  const count = built.mask.reduce((sum, sampled) => sum + sampled, 0);
  const noise = random.stream('noise');
  const sampled = (of: (index: number) => number): Float64Array =>
    Float64Array.from(built.mask, (mask, index) => (mask === 1 ? of(index) : 0));
  return {
    ...built,
    weight: sampled(() => 1 / count),
    advantages: sampled(() => noise.normal()),
    referenceLogprobs: sampled((index) => (built.logprobs[index] as number) + 0.2 * noise.normal()),
  };
}

/** The run of a check that needs a batch of the model, and a loss like those of training. */
export const onBatch =
  (run: (context: PolicyCheckContext & { readonly batch: TrainingBatch; readonly loss: Loss }) => Awaitable<Found>) =>
  async (context: PolicyCheckContext): Promise<Found> =>
    run({ ...context, batch: await playBatch(context), loss: reinforcementLoss(context.model) });

const minusLogprob: LossExpression = ops.sub(ops.constant(0), inputs.logprob);

/** A loss that makes sampled tokens more likely; every model supports its operations. */
export const supervisedLoss: Loss = { terms: { supervised: minusLogprob }, metrics: { surprise: minusLogprob } };

/**
 * A loss like those of training: clipped ratio, divergence from a reference, and entropy, as far as the model supports
 * them.
 */
function reinforcementLoss({ capabilities }: PolicyModel): Loss {
  const ratio = ops.exp(ops.sub(inputs.logprob, inputs.logprobs));
  const surrogate = ops.min(ops.mul(ratio, inputs.advantages), ops.mul(ops.clip(ratio, 0.8, 1.3), inputs.advantages));
  const difference = ops.sub(inputs.logprob, inputs.referenceLogprobs);
  const policy = ops.sub(ops.constant(0), surrogate);
  const metrics = { clipped: ops.greater(ratio, ops.constant(1.3)), ratio };
  if (capabilities.losses !== undefined)
    return capabilities.losses.includes('ppo') ? { terms: { policy }, metrics } : supervisedLoss;
  const loss: Loss = {
    terms: {
      policy,
      divergence: ops.mul(ops.constant(0.05), ops.mul(difference, difference)),
      ...(capabilities.live.includes('entropy') && { entropy: ops.mul(ops.constant(-0.1), inputs.entropy) }),
    },
    metrics,
  };
  const used = JSON.stringify(loss);
  return capabilities.missingOperations.some((name) => used.includes(`"op":"${name}"`)) ? supervisedLoss : loss;
}

/**
 * Norm of the accumulated gradient of these batches. The weights do not change, because the learning rate of the step
 * is 0.
 */
export async function gradientNorm(model: PolicyModel, batches: readonly TrainingBatch[], loss: Loss): Promise<number> {
  for (const batch of batches) await model.forwardBackward(batch, loss);
  return (await model.optimizerStep({ learningRate: 0 })).gradientNorm;
}

/** Largest difference between two arrays; Infinity if one value is not a number or the lengths differ. */
export function distance(left: ArrayLike<number>, right: ArrayLike<number>): number {
  if (left.length !== right.length) return Infinity;
  const apart = Array.from(left, (value, index) => Math.abs(value - (right[index] as number)));
  return apart.some(Number.isNaN) ? Infinity : Math.max(0, ...apart);
}

/** The numbers that are others than expected, as findings. The tolerance is relative to numbers above 1. */
export function differing(
  expected: { readonly [name: string]: number },
  actual: { readonly [name: string]: number },
  tolerance: number,
): readonly string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const other = actual[name] ?? NaN;
    const agree = Math.abs(value - other) <= tolerance * Math.max(1, Math.abs(value), Math.abs(other));
    return agree ? [] : [`${name} is ${other} and should be ${value}`];
  });
}
