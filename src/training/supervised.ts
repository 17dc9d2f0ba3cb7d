import type { JsonObject } from '../contracts/json.js';
import type { Loss } from '../contracts/loss.js';
import { aggregationWeights } from '../credit/aggregation-weights.js';
import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import { buildBatch } from '../rollout/build-batch.js';
import { type DemonstrationRows, numberedRows } from '../rollout/demonstration.js';
import type { RowList } from '../rollout/packed-rows.js';
import { GradientSteps } from './gradient-steps.js';
import { optimizerStep, runStage, type StageOptions, type StageResult } from './run-stage.js';

export interface SupervisedOptions extends StageOptions {
  /** Demonstrations in the model's tokens; at least one. */
  readonly demonstrations: RowList;
  /** Demonstrations in an optimizer step. */
  readonly batchSize: number;
  /** Cost of all demonstrations in units of the run's budget, paid at the first step. */
  readonly units?: number;
}

/** The state that a step passes to the next. */
interface SupervisedState extends JsonObject {
  readonly badInRow: number;
}

/** The loss of supervised fine-tuning. */
export const crossEntropy: Loss = {
  terms: { cross_entropy: lossOperations.sub(lossOperations.constant(0), lossInputs.logprob) },
};

/**
 * Supervised fine-tuning: cross entropy of the demonstrations' action tokens and their end tokens, as a mean over the
 * tokens of a step. In each pass, demonstrations have a new order, which depends only on the seed and the step.
 */
export function trainSupervised(options: SupervisedOptions): Promise<StageResult> {
  const { demonstrations, batchSize, model, optimizer, steps, units = 0 } = options;
  const demonstrationsAt = shuffled(options);

  return runStage<SupervisedState>(options, {
    kind: 'sft',
    initialState: { badInRow: 0 },
    keepStart: false,
    async step(step, state) {
      const learned = demonstrationsAt((step - 1) * batchSize);
      const batch = buildBatch(numberedRows(learned), 1);
      const updates = new GradientSteps(model, crossEntropy, optimizerStep(optimizer, step, steps), state.badInRow);
      await updates.take({ ...batch, weight: aggregationWeights(batch, 'token-mean') });

      // The first round shows each demonstration once.
      const seen = (places: number): number => Math.min(places, demonstrations.length);
      const tasks = learned.map(({ task }) => task);
      return {
        state: { badInRow: updates.badInRow },
        metrics: { ...updates.metrics(), 'train/epoch': (step * batchSize) / demonstrations.length },
        costs: {
          demonstrations: seen(step * batchSize) - seen((step - 1) * batchSize),
          tasks: tasks.every((task) => task !== undefined) ? tasks : null,
          trainedTokens: updates.tokens,
          optimizerSteps: updates.taken,
          units: step === 1 ? units : 0,
        },
        ...(updates.error && { error: updates.error }),
      };
    },
  });
}

/** The demonstrations of a step, given the place of the first one in an endless sequence of shuffled demonstrations. */
function shuffled({ demonstrations, batchSize, random }: SupervisedOptions): (place: number) => DemonstrationRows[] {
  const count = demonstrations.length;
  const places = Array.from({ length: count }, (_, index) => index);
  const orders = new Map<number, readonly number[]>();
  return (place) => {
    const learned: DemonstrationRows[] = [];
    for (let next = place; next < place + batchSize; next += 1) {
      const round = Math.floor(next / count);
      let order = orders.get(round);
      if (order === undefined) {
        orders.clear();
        order = random.stream('demonstrations', round).shuffle(places);
        orders.set(round, order);
      }
      learned.push(demonstrations.at(order[next % count] as number) as DemonstrationRows);
    }
    return learned;
  };
}
