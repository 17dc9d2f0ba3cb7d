import { algorithmChecks } from '../testing/check-algorithm.js';
import { actionFormatChecks } from '../testing/check-action-format.js';
import { environmentChecks, environmentPreparation } from '../testing/check-environment.js';
import { policyModelChecks } from '../testing/check-policy-model.js';
import { rewardChecks } from '../testing/check-reward.js';
import { rewardOnChecks } from '../testing/check-reward-on.js';
import { checkTable, type CheckedKind, type CheckEntry } from '../testing/check-table.js';
import { toolChecks } from '../testing/check-tool.js';
import { creation } from '../testing/conformance-kit.js';
import { packageChecks, packagePreparation } from './package-checks.js';

interface Described {
  readonly id: string;
  readonly title: string;
  readonly severity?: 'error' | 'warning';
}

/** Checks that the process beside the plugin makes, and those between loading and the kit. */
const ofEntry: readonly Described[] = [
  { id: 'entry-loads', title: 'the entry can be imported' },
  { id: 'entry-shape', title: 'it exports a list of contributions, each of the right shape' },
  { id: 'entry-global-state', title: 'importing it changes nothing of the process' },
  { id: 'entry-deadline', title: 'importing it comes to an end' },
  { id: 'entry-exits', title: 'importing it does not end the process' },
  { id: 'entry-silent', title: 'importing it prints nothing to standard output' },
  { id: 'entry-ends', title: 'after importing it the process ends by itself' },
];
const ofContribution: readonly Described[] = [
  { id: 'load', title: 'load() gives the functions of its contract' },
  { id: 'options', title: 'validate() answers for all options that the declaration allows, and takes the defaults' },
  { id: 'deadline', title: 'nothing hangs' },
  { id: 'exits', title: 'nothing ends the process' },
  { id: 'silent', title: 'nothing is printed to standard output' },
  { id: 'ends', title: 'after its work the process ends by itself' },
];

const byKind: { readonly [Kind in CheckedKind]: readonly Described[] } = {
  package: [packagePreparation, ...packageChecks],
  entry: ofEntry,
  contribution: ofContribution,
  environment: [environmentPreparation, environmentPreparation.availability, ...environmentChecks],
  reward: [creation, ...rewardChecks],
  'reward on an environment': [creation, ...rewardOnChecks],
  algorithm: [creation, ...algorithmChecks],
  policy: [creation, ...policyModelChecks],
  format: [creation, ...actionFormatChecks],
  tool: [creation, ...toolChecks],
};

/**
 * Every check there is, in the order in which they run, with why and cure. Throws where the table of checks lacks one.
 */
export function allChecks(): readonly {
  readonly kind: CheckedKind;
  readonly checks: readonly (Required<Described> & CheckEntry)[];
}[] {
  return (Object.keys(byKind) as CheckedKind[]).map((kind) => ({
    kind,
    checks: byKind[kind].map(({ id, title, severity = 'error' }) => {
      const entry = checkTable[kind][id];
      if (entry === undefined) throw new Error(`the check ${id} of ${kind} is missing from the table of checks`);
      return { id, title, severity, ...entry };
    }),
  }));
}
