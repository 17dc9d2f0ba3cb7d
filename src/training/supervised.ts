import type { JsonObject } from '../contracts/json.js';
import { aggregationWeights } from '../credit/aggregation-weights.js';
import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import { type BatchRow, buildBatch } from '../rollout/build-batch.js';
import { GradientSteps } from './gradient-steps.js';
import { optimizerStep, runStage, type StageOptions, type StageResult } from './run-stage.js';

export interface SupervisedOptions extends StageOptions {
  /** Demonstrations in the model's tokens; at least one. */
  readonly demonstrations: readonly BatchRow[];
  /** Demonstrations in an optimizer step. */
  readonly batchSize: number;
  /** What the demonstrations cost, in units of the run's budget; for the log. */
  readonly units?: number;
}

/** What a step hands to the next. */
interface SupervisedState extends JsonObject {
  readonly badInRow: number;
  /** Trained so far. */
  readonly tokens: number;
}

/** Steps that go through all demonstrations so often. */
export function stepsOfEpochs(epochs: number, demonstrations: number, batchSize: number): number {
  return Math.ceil((epochs * demonstrations) / batchSize);
}

/**
 * Supervised fine-tuning: cross entropy of the demonstrations' action tokens and their end tokens, as a mean over the tokens of a step.
 * Each time around, demonstrations come in a new order, a function of the seed and the step.
 */
export function trainSupervised(options: SupervisedOptions): Promise<StageResult> {
  const { demonstrations, batchSize, model, optimizer, steps, units } = options;
  const loss = { terms: { cross_entropy: lossOperations.sub(lossOperations.constant(0), lossInputs.logprob) } };
  const rowsAt = shuffledRows(options);

  return runStage<SupervisedState>(options, {
    kind: 'sft',
    initialState: { badInRow: 0, tokens: 0 },
    keepStart: false,
    async step(step, state) {
      const batch = buildBatch(rowsAt((step - 1) * batchSize), 1);
      const updates = new GradientSteps(model, loss, optimizerStep(optimizer, step, steps), state.badInRow);
      await updates.take({ ...batch, weight: aggregationWeights(batch, 'token-mean') });

      const tokens = state.tokens + batch.mask.reduce((sum, mask) => sum + mask, 0);
      return {
        state: { badInRow: updates.badInRow, tokens },
        metrics: {
          ...updates.metrics(),
          'train/epoch': (step * batchSize) / demonstrations.length,
          'cost/demonstrations': demonstrations.length,
          'cost/trained_tokens': tokens,
          ...(units !== undefined && { 'cost/units': units }),
        },
        ...(updates.error && { error: updates.error }),
      };
    },
  });
}

/** The rows of a step, by the place of the first in an endless sequence of shuffled demonstrations. */
function shuffledRows({ demonstrations, batchSize, random }: SupervisedOptions): (place: number) => BatchRow[] {
  const count = demonstrations.length;
  const orders = new Map<number, readonly BatchRow[]>();
  return (place) => {
    const rows: BatchRow[] = [];
    for (let next = place; next < place + batchSize; next += 1) {
      const round = Math.floor(next / count);
      let order = orders.get(round);
      if (order === undefined) {
        orders.clear();
        order = random.stream('demonstrations', round).shuffle(demonstrations);
        orders.set(round, order);
      }
      rows.push(order[next % count] as BatchRow);
    }
    return rows;
  };
}
