import { createRandom } from '../random/create-random.js';
import { creating, Kit } from './conformance-kit.js';
import { encoderChecks } from './policy-checks/encoder-checks.js';
import { generationChecks } from './policy-checks/generation-checks.js';
import type { PolicyCheckContext, PolicyCheckSettings, PolicySubject } from './policy-checks/policy-context.js';
import { stateChecks } from './policy-checks/state-checks.js';
import { trainingChecks } from './policy-checks/training-checks.js';

/**
 * Checks a policy model against its contract.
 *
 * @example
 * ```ts
 * const create = () => new TabularPolicy({ texts: ['go north', 'You see a door.'], contextLength: 3 });
 * const findings = await policyKit.check({ create }, { actions: ['go north'], observations: ['You see a door.'] });
 * ```
 */
export const policyKit = new Kit<PolicySubject, PolicyCheckSettings, PolicyCheckContext>({
  availability: {
    id: 'available',
    title: 'the server of the model is available',
    // Nothing is wrong with a policy whose server is not there, but nothing was checked.
    severity: 'warning',
    cure: 'Start the server, or set its address in an option. Throw `UNAVAILABLE` only if the server is down.',
  },
  // Those that train come last.
  checks: [...encoderChecks, ...generationChecks, ...trainingChecks, ...stateChecks],
  prepare: async (subject, settings, atEnd) => {
    const create = creating('policy', atEnd, () => subject.create());
    let sequences = 0;
    return {
      model: await create(),
      create,
      random: createRandom(settings.seed ?? 0),
      newSequence: () => `kit-${(sequences += 1)}`,
      actions: settings.actions ?? ['go north', '17'],
      observations: settings.observations ?? ['You see a door.', 'The door is closed.', 'higher, 18 to 33'],
    };
  },
});
