import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TrainingBatch } from '../../contracts/batch.js';
import type { PolicyModel } from '../../contracts/policy.js';
import {
  distance,
  makeRequests,
  plainSampling,
  playBatch,
  supervisedLoss,
  type PolicyCheck,
} from './policy-context.js';

export const checkpointChecks: readonly PolicyCheck[] = [
  {
    id: 'freeze',
    title: 'a frozen copy keeps its log probabilities while the model trains',
    severity: 'error',
    likelyCause: 'the copy shares its arrays with the model',
    why: 'A reference that changes with the model does not limit the policy.',
    cure: 'Copy the weights.',
    idle: ({ model }) => (model.capabilities.freeze ? undefined : 'it cannot hold a frozen copy'),
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const frozen = await model.freeze();
      const before = await frozen.logprobs(batch);
      const live = distance(before, await model.logprobs(batch));
      await train(model, batch, settings.learningRate, 2);
      const moved = distance(before, await frozen.logprobs(batch));
      await frozen.dispose();
      return [
        ...(live <= settings.tolerance ? [] : [`the copy starts ${live} away from the model`]),
        ...(moved === 0 ? [] : [`training moved the copy by ${moved}`]),
      ];
    },
  },
  {
    id: 'save-load',
    title: 'a model that loads a checkpoint continues exactly like the model that saved it',
    severity: 'error',
    likelyCause: 'moments, step number or version are not saved, or numbers lose precision in the file',
    why: 'A resumed run would differ from the interrupted run.',
    cure: 'Save weights, moments, step number and version with full precision.',
    run: async (context) => {
      const { model, settings } = context;
      const batch = await playBatch(context);
      const directory = await mkdtemp(join(tmpdir(), 'agentgym-policy-'));
      try {
        await train(model, batch, settings.learningRate, 2);
        await model.save(directory);
        const other = await context.create();
        await other.load(directory);
        const versions = [model.policyVersion, other.policyVersion];
        const norms = [
          await train(model, batch, settings.learningRate, 3),
          await train(other, batch, settings.learningRate, 3),
        ];
        const apart = distance(await model.logprobs(batch), await other.logprobs(batch));
        const requests = makeRequests(context, 3);
        const [one, two] = [
          await model.generate(requests, plainSampling),
          await other.generate(requests, plainSampling),
        ];
        const found: string[] = [];
        if (versions[0] !== versions[1]) found.push(`version ${versions[0]} was loaded as ${versions[1]}`);
        if (norms[0] !== norms[1]) found.push(`gradient norms ${norms[0]} versus ${norms[1]}`);
        if (apart !== 0) found.push(`after three more steps the log probabilities differ by ${apart}`);
        if (model.capabilities.sampler.draws && JSON.stringify(one) !== JSON.stringify(two))
          found.push('the same requests get different answers');
        return found;
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  },
  {
    id: 'load-nothing',
    title: 'loading a folder without a checkpoint throws',
    severity: 'error',
    likelyCause: 'the code starts fresh if files are missing',
    why: 'A mistyped path would silently start from scratch.',
    cure: 'Throw an error if a file is missing.',
    run: async (context) => {
      const directory = await mkdtemp(join(tmpdir(), 'agentgym-policy-'));
      const outcome = await context.model.load(directory).then(
        () => ['loading an empty folder did not throw'],
        () => [],
      );
      await rm(directory, { recursive: true, force: true });
      return outcome;
    },
  },
];

/** Takes optimizer steps and returns their gradient norms as one string. */
async function train(model: PolicyModel, batch: TrainingBatch, learningRate: number, steps: number): Promise<string> {
  const norms: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    await model.forwardBackward(batch, supervisedLoss);
    norms.push((await model.optimizerStep({ learningRate })).gradientNorm);
  }
  return norms.join(' ');
}
