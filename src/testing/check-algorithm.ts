import type { Algorithm, AlgorithmModule } from '../contracts/algorithm.js';
import { createRandom } from '../random/create-random.js';
import { algorithmBatches } from './algorithm-checks/algorithm-batches.js';
import type { AlgorithmContext } from './algorithm-checks/algorithm-context.js';
import { creditChecks } from './algorithm-checks/credit-checks.js';
import { lossChecks } from './algorithm-checks/loss-checks.js';
import { purityChecks } from './algorithm-checks/purity-checks.js';
import { stateChecks } from './algorithm-checks/state-checks.js';
import { declareKit, findingsOf, runKit, type KitCheck, type KitReport, type KitSettings } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import { estimatorChecks } from './estimators/gradient-checks.js';
import type { Finding } from './finding.js';
import { requireMembers } from './require-members.js';
import { testHost } from './test-host.js';

/** An algorithm for the kit: its module, and options to test it with. */
export interface AlgorithmSubject<Options> extends AlgorithmModule<Options> {
  readonly options: Options;
}

export const algorithmChecks: readonly KitCheck<AlgorithmContext>[] = [
  ...creditChecks,
  ...lossChecks,
  ...stateChecks,
  ...purityChecks,
  ...estimatorChecks,
];

/**
 * Checks an algorithm against its contract, on awkward batches and on an enumerable game, and reports the outcome of
 * each check.
 */
export async function examineAlgorithm<Options>(
  subject: AlgorithmSubject<Options>,
  settings: KitSettings = {},
): Promise<KitReport> {
  const checks = await runKit<AlgorithmContext>(algorithmChecks, settings, async () => {
    const create = async (): Promise<Algorithm> => subject.create(subject.options, testHost(settings.seed));
    const algorithm = await create();
    const functions = { advantages: 'function', weights: 'function', loss: 'function' } as const;
    requireMembers('create()', algorithm, { ...functions, roles: 'object', initialState: 'object' });
    const batches = algorithmBatches(createRandom(settings.seed ?? 0), algorithm.pairs === true);
    return { create, algorithm, batches, seed: settings.seed ?? 0 };
  });
  return { checks };
}

/** Checks an algorithm against its contract and returns findings. The list is empty if all checks pass. */
export async function checkAlgorithm<Options>(
  subject: AlgorithmSubject<Options>,
  settings: KitSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineAlgorithm(subject, settings));
}

/** Declares the kit as tests, one for each check. `it` is the function of the test runner. */
export function describeAlgorithm<Options>(
  it: DeclareTest,
  subject: AlgorithmSubject<Options>,
  settings: KitSettings = {},
): void {
  declareKit(it, algorithmChecks, settings, () => checkAlgorithm(subject, settings));
}
