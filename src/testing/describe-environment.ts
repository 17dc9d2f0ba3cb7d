import { checkEnvironment, environmentChecks, environmentPreparation } from './check-environment.js';
import { declareKit } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import type { EnvironmentCheckSettings, EnvironmentSubject } from './environment-checks/environment-subject.js';

/**
 * Declares the conformance kit as tests, one for each check. `it` is the function of the test runner, so the kit
 * depends on no runner.
 *
 * @example
 * ```ts
 * describe('conformance', () => describeEnvironment(it, { ...module, contribution, options: { depths: [1] } }));
 * ```
 */
export function describeEnvironment<Options>(
  it: DeclareTest,
  subject: EnvironmentSubject<Options>,
  settings: EnvironmentCheckSettings = {},
): void {
  declareKit(it, environmentChecks, settings, () => checkEnvironment(subject, settings), environmentPreparation);
}
