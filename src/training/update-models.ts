// The optimizer steps of a training step. Every epoch shuffles the episodes again, and the policy and its critic train on
// each minibatch.
import type { Algorithm, CriticPlan, UpdateSettings } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { Loss } from '../contracts/loss.js';
import type { PolicyModel } from '../contracts/policy.js';
import type { Random } from '../contracts/random.js';
import { episodeRows } from '../credit/action-tokens.js';
import { groupEpisodes } from '../credit/group-comparison.js';
import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import { selectRows } from '../rollout/select-rows.js';
import { GradientSteps } from './gradient-steps.js';
import { meanwhile } from './meanwhile.js';
import { optimizerStep, type OptimizerPlan } from './run-stage.js';

export interface UpdateOptions {
  readonly algorithm: Algorithm;
  readonly update: UpdateSettings;
  readonly model: PolicyModel;
  /** A second model, if the algorithm's critic has its own trunk. */
  readonly critic?: PolicyModel;
  readonly optimizer: OptimizerPlan;
  readonly steps: number;
  /** A separate stream for this step. */
  readonly random: Random;
}

/** Which losses train which model in a step. */
export interface StepLosses {
  /** Loss of the policy's model. Absent while only a separate critic learns. */
  readonly policy?: Loss;
  readonly critic?: Loss;
}

/** The losses of an algorithm, created once: engines identify a loss by its expressions. */
export function algorithmLosses(algorithm: Algorithm): (step: number) => StepLosses {
  const policy = algorithm.loss(lossOperations, lossInputs);
  const plan = algorithm.critic;
  if (plan === undefined) return () => ({ policy });
  const critic = plan.loss(lossOperations, lossInputs);
  const whole = plan.trunk === 'own' ? { policy, critic } : { policy: together(policy, critic) };
  const warming = plan.trunk === 'own' ? { critic } : { policy: critic };
  return (step) => (step <= plan.warmup ? warming : whole);
}

/** The optimizer settings of a separate critic. */
function criticOptimizer(optimizer: OptimizerPlan, { learningRate }: CriticPlan): OptimizerPlan {
  if (learningRate === null) return optimizer;
  return { ...optimizer, learningRate: { ...optimizer.learningRate, peak: learningRate } };
}

export interface ModelUpdates {
  readonly policy: GradientSteps;
  readonly critic: GradientSteps;
}

/** Makes the optimizer steps of one batch with its advantages. Without a batch, it makes no step. */
export async function updateModels(
  batch: TrainingBatch | undefined,
  losses: StepLosses,
  step: number,
  badInRow: { readonly policy: number; readonly critic: number },
  options: UpdateOptions,
): Promise<ModelUpdates> {
  const { algorithm, update, model, critic, optimizer, steps, random } = options;
  const policy = new GradientSteps(model, losses.policy, optimizerStep(optimizer, step, steps), badInRow.policy);
  const criticPlan = algorithm.critic === undefined ? optimizer : criticOptimizer(optimizer, algorithm.critic);
  const own = critic === undefined ? undefined : losses.critic;
  const value = new GradientSteps(critic ?? model, own, optimizerStep(criticPlan, step, steps), badInRow.critic);
  if (batch === undefined) return { policy, critic: value };
  for (let epoch = 0; epoch < update.epochs; epoch += 1) {
    const parts = dealEpisodes(batch, update.minibatches, algorithm.pairs === true, random.stream(epoch));
    const weighted = (rows: readonly number[]): TrainingBatch => {
      const minibatch = selectRows(batch, rows);
      return { ...minibatch, weight: algorithm.weights(minibatch) };
    };
    let next = parts[0] && weighted(parts[0]);
    let last: Promise<void> = Promise.resolve();
    for (let index = 1; next !== undefined; index += 1) {
      const [minibatch, following] = [next, parts[index]];
      const before = last;
      last = policy.take(minibatch).then(() => value.take(minibatch));
      // If the minibatch before fails, its error is the one that is told.
      last.catch(() => undefined);
      // Prepares the next minibatch while the model learns from this one. A model that may be asked ahead gets it before it
      // has answered.
      const answered = model.capabilities.ahead === true ? before : last;
      [, next] = await meanwhile(answered, () => following && weighted(following));
    }
    await last;
  }
  return { policy, critic: value };
}

/**
 * Rows of each minibatch. Whole groups (or pairs) are dealt in random order, as evenly as possible. With more
 * minibatches than groups, single episodes are dealt. There are never more minibatches than items to deal.
 */
function dealEpisodes(batch: TrainingBatch, minibatches: number, pairs: boolean, random: Random): number[][] {
  const episodes = episodeRows(batch);
  const groups = pairs ? pairsOf(episodes.length) : groupEpisodes(batch);
  const parted = groups.length < minibatches && !pairs;
  const dealt = parted ? groups.flat().map((episode) => [episode]) : groups;
  const units = random.shuffle(dealt.map((unit) => unit.flatMap((episode) => episodes[episode] as number[])));
  const count = Math.min(minibatches, units.length);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.round((index * units.length) / count);
    const to = Math.round(((index + 1) * units.length) / count);
    return units.slice(from, to).flat();
  });
}

function pairsOf(episodes: number): number[][] {
  return Array.from({ length: Math.floor(episodes / 2) }, (_, pair) => [2 * pair, 2 * pair + 1]);
}

function together(policy: Loss, critic: Loss): Loss {
  return {
    terms: { ...policy.terms, ...critic.terms },
    metrics: { ...policy.metrics, ...critic.metrics },
    episodeMetrics: { ...policy.episodeMetrics, ...critic.episodeMetrics },
  };
}
