import { checkEnvironment, environmentChecks } from './check-environment.js';
import type { EnvironmentCheckSettings, EnvironmentSubject } from './environment-checks/environment-subject.js';
import type { Finding } from './finding.js';

/** What a test runner offers: `it` of vitest, `test` of node:test, and others alike. */
export type DeclareTest = (name: string, body: () => Promise<void>) => unknown;

/**
 * The conformance kit as tests, one for each check. Takes the runner's `it`, so that the kit depends on no runner.
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
  let pending: Promise<Finding[]> | undefined;
  const expectNone = async (id: string) => {
    pending ??= checkEnvironment(subject, settings);
    const found = (await pending).filter((finding) => finding.id === id);
    if (found.length === 0) return;
    const messages = found.map(({ message }) => `  ${message}`).join('\n');
    throw new Error(`${id}\n${messages}\nlikely cause: ${found[0]?.likelyCause}`);
  };
  it('creates environments and lists tasks', () => expectNone('create'));
  for (const { id, title } of environmentChecks) {
    if (settings.accept?.includes(id) !== true) it(title, () => expectNone(id));
  }
}
