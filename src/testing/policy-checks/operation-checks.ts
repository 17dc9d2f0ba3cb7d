import type { GeneratedTokens } from '../../contracts/policy.js';
import { selectRows } from '../../rollout/select-rows.js';
import { makeRequests, plainSampling, playBatch, supervisedLoss, type PolicyCheck } from './policy-context.js';

export const operationChecks: readonly PolicyCheck[] = [
  {
    id: 'operations',
    title:
      'counted operations are those of the calls in between: padding costs nothing, and learning costs more than reading',
    severity: 'error',
    likelyCause: 'padded shapes are counted, a pass is left out, or the count is not cleared when it is read',
    why: 'Budgets and reports compare runs by their computed operations.',
    cure: 'Count from lengths, not from padded shapes, and clear the count when it is read.',
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
      const wider = selectRows(batch, Array.from(batch.length.keys()), batch.width + 9);
      const padded = await count(() => model.logprobs(wider));
      const learnt = await count(() => model.forwardBackward(batch, supervisedLoss));
      const requests = makeRequests(context, 3);
      let answers: readonly GeneratedTokens[] = [];
      const sampled = await count(async () => (answers = await model.generate(requests, plainSampling)));
      const told = await count(() => {
        for (const [place, request] of requests.entries()) {
          model.countSampled?.({ ...request, sequence: context.newSequence() }, answers[place]!);
        }
      });
      await model.optimizerStep({ learningRate: 0 });
      const found: string[] = [];
      if (nothing !== 0) found.push(`nothing was computed between two counts, but ${nothing} operations were counted`);
      if (!(read > 0) || !(sampled > 0)) found.push(`reading a batch counts ${read} operations, sampling ${sampled}`);
      if (model.countSampled !== undefined && told !== sampled) {
        found.push(`sampling counts ${sampled} operations, and \`countSampled\` of the same answers ${told}`);
      }
      if (again !== read) found.push(`the same batch counts ${read} operations, then ${again}`);
      if (padded !== read) found.push(`a batch counts ${read} operations, with padding ${padded}`);
      if (!(learnt > read)) found.push(`learning from a batch counts ${learnt} operations, reading it ${read}`);
      if (model.capabilities.freeze) {
        const frozen = await model.freeze();
        const reference = await count(() => frozen.logprobs(batch));
        await frozen.dispose();
        if (reference !== read)
          found.push(`a frozen copy counts ${reference} operations for a batch, the model ${read}`);
      }
      const peak = await model.peakOperations?.();
      if (peak !== undefined && !(peak > 0 && peak < Infinity)) found.push(`\`peakOperations\` answers ${peak}`);
      return found;
    },
  },
];
