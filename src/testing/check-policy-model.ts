import type { PolicyModel } from '../contracts/policy.js';
import { createRandom } from '../random/create-random.js';
import { declareKit, findingsOf, runKit, type KitReport } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import type { Finding } from './finding.js';
import { checkpointChecks } from './policy-checks/checkpoint-checks.js';
import { encoderChecks } from './policy-checks/encoder-checks.js';
import { generationChecks } from './policy-checks/generation-checks.js';
import { operationChecks } from './policy-checks/operation-checks.js';
import type {
  PolicyCheck,
  PolicyCheckContext,
  PolicyModelCheckSettings,
  PolicyModelSubject,
} from './policy-checks/policy-context.js';
import { trainingChecks } from './policy-checks/training-checks.js';
import { gradientChecks } from './policy-checks/gradient-checks.js';
import { requireMembers } from './require-members.js';

/** Every check of the kit, in order: checks that train come last. */
export const policyModelChecks: readonly PolicyCheck[] = [
  ...encoderChecks,
  ...generationChecks,
  ...trainingChecks,
  ...gradientChecks,
  ...operationChecks,
  ...checkpointChecks,
];

/** Checks a policy model against its contract and reports the outcome of each check. */
export async function examinePolicyModel(
  subject: PolicyModelSubject,
  settings: PolicyModelCheckSettings = {},
): Promise<KitReport> {
  const made: PolicyModel[] = [];
  const create = async (): Promise<PolicyModel> => {
    const model = await subject.create();
    requireMembers('create()', model, members);
    requireMembers('create().encoder', model.encoder, encoderMembers);
    requireMembers('create().capabilities', model.capabilities, { sampler: 'object' });
    requireMembers('create().capabilities.sampler', model.capabilities.sampler, samplerMembers);
    made.push(model);
    return model;
  };
  let sequences = 0;
  try {
    const checks = await runKit<PolicyCheckContext>(policyModelChecks, settings, async () => ({
      model: await create(),
      create,
      random: createRandom(settings.seed ?? 0),
      newSequence: () => `kit-${(sequences += 1)}`,
      settings: {
        actions: settings.actions ?? ['go north', '17'],
        observations: settings.observations ?? ['You see a door.', 'The door is closed.', 'higher, 18 to 33'],
        learningRate: settings.learningRate ?? 1e-2,
        tolerance: settings.tolerance ?? 1e-4,
      },
    }));
    return { checks };
  } finally {
    for (const model of made) await model.dispose();
  }
}

/**
 * Checks a policy model against its contract and returns findings with their usual causes. The list is empty if all
 * checks pass.
 *
 * @example
 * ```ts
 * const create = () => new TabularPolicy({ texts: ['go north', 'You see a door.'], contextLength: 3 });
 * const findings = await checkPolicyModel({ create }, { actions: ['go north'], observations: ['You see a door.'] });
 * ```
 */
export async function checkPolicyModel(
  subject: PolicyModelSubject,
  settings: PolicyModelCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examinePolicyModel(subject, settings));
}

const encoderMembers = {
  begin: 'function',
  append: 'function',
  encodeAction: 'function',
  decode: 'function',
  piece: 'function',
  endIds: 'object',
} as const;

const samplerMembers = { independent: 'boolean', draws: 'boolean', exact: 'boolean' } as const;

const members = {
  capabilities: 'object',
  encoder: 'object',
  generate: 'function',
  release: 'function',
  forwardBackward: 'function',
  optimizerStep: 'function',
  resetOptimizer: 'function',
  logprobs: 'function',
  freeze: 'function',
  save: 'function',
  load: 'function',
  describe: 'function',
  dispose: 'function',
} as const;

/** Declares the kit as tests, one for each check. `it` is the function of the test runner. */
export function describePolicyModel(
  it: DeclareTest,
  subject: PolicyModelSubject,
  settings: PolicyModelCheckSettings = {},
): void {
  declareKit(it, policyModelChecks, settings, () => checkPolicyModel(subject, settings));
}
