import type { TrainingBatch } from '../../contracts/batch.js';
import { makeRequests, plainSampling, playBatch, supervisedLoss, type PolicyCheck } from './policy-context.js';

/** The same rows with `more` further places of padding each. */
function widen(batch: TrainingBatch, more: number): TrainingBatch {
  const width = batch.width + more;
  const spread = <A extends Int32Array | Uint8Array | Float64Array>(source: A, target: A): A => {
    for (let row = 0; row < batch.rows; row += 1) {
      target.set(source.subarray(row * batch.width, (row + 1) * batch.width), row * width);
    }
    return target;
  };
  const numbers = (source: Float64Array): Float64Array => spread(source, new Float64Array(batch.rows * width));
  const { referenceLogprobs: _, ...plain } = batch;
  return {
    ...plain,
    width,
    tokens: spread(batch.tokens, new Int32Array(batch.rows * width)),
    mask: spread(batch.mask, new Uint8Array(batch.rows * width)),
    turn: spread(batch.turn, new Int32Array(batch.rows * width).fill(-1)),
    weight: numbers(batch.weight),
    logprobs: numbers(batch.logprobs),
    rewards: numbers(batch.rewards),
    advantages: numbers(batch.advantages),
  };
}

export const operationChecks: readonly PolicyCheck[] = [
  {
    id: 'operations',
    title:
      'operations, where they are counted, are those of the calls in between: padding is none, and learning costs more than reading',
    severity: 'error',
    likelyCause:
      'shapes are counted as they were padded, a pass is left out, or the count is not cleared when it is taken',
    idle: ({ model }) => (model.takeOperations === undefined ? 'it does not count operations' : undefined),
    run: async (context) => {
      const { model } = context;
      const batch = await playBatch(context);
      const count = async (call: () => unknown): Promise<number> => {
        model.takeOperations?.();
        await call();
        return model.takeOperations?.() ?? NaN;
      };
      const nothing = await count(() => undefined);
      const read = await count(() => model.logprobs(batch));
      const again = await count(() => model.logprobs(batch));
      const padded = await count(() => model.logprobs(widen(batch, 9)));
      const learnt = await count(() => model.forwardBackward(batch, supervisedLoss));
      const sampled = await count(() => model.generate(makeRequests(context, 3), plainSampling));
      await model.optimizerStep({ learningRate: 0 });
      const found: string[] = [];
      if (nothing !== 0)
        found.push(`between two questions nothing was computed, and ${nothing} operations were counted`);
      if (!(read > 0) || !(sampled > 0)) found.push(`reading a batch counts ${read} operations, sampling ${sampled}`);
      if (again !== read) found.push(`the same batch counts ${read} operations, then ${again}`);
      if (padded !== read) found.push(`a batch counts ${read} operations, with padding ${padded}`);
      if (!(learnt > read)) found.push(`learning from a batch counts ${learnt} operations, reading it ${read}`);
      if (model.capabilities.freeze) {
        const frozen = await model.freeze();
        const reference = await count(() => frozen.logprobs(batch));
        await frozen.dispose();
        if (reference !== read)
          found.push(`a frozen copy reads a batch in ${reference} operations, the model in ${read}`);
      }
      return found;
    },
  },
];
