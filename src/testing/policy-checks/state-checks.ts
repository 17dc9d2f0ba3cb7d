// Checks of what a model keeps and counts: copies, checkpoints and operations.
import type { TrainingBatch } from '../../contracts/batch.js';
import type { PolicyModel } from '../../contracts/policy.js';
import { inTemporaryFolder } from '../../files/temporary-folder.js';
import { selectRows } from '../../rollout/select-rows.js';
import { jsonDifference } from '../json-difference.js';
import {
  distance,
  stepSize,
  tolerance,
  makeRequests,
  plainSampling,
  onBatch,
  type PolicyCheck,
  supervisedLoss,
} from './policy-context.js';

/** Takes optimizer steps and returns their gradient norms. */
async function train(model: PolicyModel, batch: TrainingBatch, learningRate: number, steps: number): Promise<string> {
  const norms: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    await model.forwardBackward(batch, supervisedLoss);
    norms.push((await model.optimizerStep({ learningRate })).gradientNorm);
  }
  return norms.join(' ');
}

export const stateChecks: readonly PolicyCheck[] = [
  {
    id: 'operations',
    title:
      'counted operations are those of the calls in between: padding costs nothing, and learning costs more than reading',
    cure: 'Count from lengths, not from padded shapes, and clear the count when it is read.',
    idle: ({ model }) => (model.takeOperations === undefined ? 'it does not count operations' : undefined),
    run: onBatch(async (context) => {
      const { model, batch } = context;
      const count = async (call: () => unknown): Promise<number> => {
        model.takeOperations?.();
        await call();
        return model.takeOperations?.() ?? NaN;
      };
      const read = await count(() => model.logprobs(batch));
      const wider = selectRows(batch, Array.from(batch.length.keys()), batch.width + 9);
      const learnt = await count(() => model.forwardBackward(batch, supervisedLoss));
      await model.optimizerStep({ learningRate: 0 });
      const requests = makeRequests(context, 3);
      let answers: Awaited<ReturnType<PolicyModel['generate']>> = [];
      const sampled = await count(async () => (answers = await model.generate(requests, plainSampling)));
      const told = await count(() => {
        for (const [index, request] of requests.entries())
          model.countSampled?.({ ...request, sequence: context.newSequence() }, answers[index]!);
      });
      const frozen = model.capabilities.freeze ? await model.freeze() : model;
      const expected: readonly [what: string, actual: number, expected: number][] = [
        ['doing nothing', await count(() => undefined), 0],
        ['reading a batch again', await count(() => model.logprobs(batch)), read],
        ['reading a padded batch', await count(() => model.logprobs(wider)), read],
        ['reading it with a frozen copy', await count(() => frozen.logprobs(batch)), read],
        ['`countSampled` of what was sampled', model.countSampled === undefined ? sampled : told, sampled],
      ];
      if (frozen !== model) await frozen.dispose();
      const peak = (await model.peakOperations?.()) ?? 1;
      return [
        ...expected.map(([what, is, should]) =>
          is === should ? undefined : `${what} counts ${is} instead of ${should}`,
        ),
        read > 0 && sampled > 0 ? undefined : `reading a batch counts ${read}, sampling ${sampled}`,
        learnt > read ? undefined : `learning from a batch counts ${learnt}, reading it ${read}`,
        peak > 0 && peak < Infinity ? undefined : `\`peakOperations\` answers ${peak}`,
      ];
    }),
  },
  {
    id: 'freeze',
    title: 'a frozen copy keeps its log probabilities while the model trains',
    cure: 'Copy the weights: a reference that moves along does not hold the policy back.',
    idle: ({ model }) => (model.capabilities.freeze ? undefined : 'it cannot hold a frozen copy'),
    run: onBatch(async ({ model, batch }) => {
      const frozen = await model.freeze();
      const before = await frozen.logprobs(batch);
      const live = distance(before, await model.logprobs(batch));
      await train(model, batch, stepSize, 2);
      const moved = distance(before, await frozen.logprobs(batch));
      await frozen.dispose();
      return [
        live <= tolerance ? undefined : `the copy starts ${live} away from the model`,
        moved === 0 ? undefined : `training moved the copy by ${moved}`,
      ];
    }),
  },
  {
    id: 'save-load',
    title:
      'a model that loads a checkpoint continues exactly like the model that saved it, and refuses a folder without one',
    cure: 'Save weights, moments, step number and version with full precision. Throw an error if a file is missing.',
    run: onBatch((context) =>
      inTemporaryFolder('agentgym-policy-', async (directory) => {
        const { model, batch } = context;
        const other = await context.create();
        const accepted = await other.load(directory).then(
          () => 'loading an empty folder did not throw',
          () => undefined,
        );
        await train(model, batch, stepSize, 2);
        await model.save(directory);
        await other.load(directory);
        const requests = makeRequests(context, 3);
        const both = [];
        for (const one of [model, other]) {
          const version = one.policyVersion;
          const norms = await train(one, batch, stepSize, 3);
          const logprobs = (await one.logprobs(batch)).join(' ');
          const answers = model.capabilities.sampler.draws ? await one.generate(requests, plainSampling) : [];
          both.push({ version, 'gradient norms': norms, logprobs, answers });
        }
        const difference = jsonDifference(both[0], both[1]);
        return [accepted, difference && `loaded, it goes on differently: ${difference}`];
      }),
    ),
  },
];
