import { algorithmChecks } from '../testing/check-algorithm.js';
import { actionFormatChecks } from '../testing/check-action-format.js';
import { environmentChecks, environmentPreparation } from '../testing/check-environment.js';
import { textPlayerChecks } from '../testing/check-text-player.js';
import { tokenSamplerChecks } from '../testing/check-token-sampler.js';
import { policyModelChecks } from '../testing/check-policy-model.js';
import { rewardChecks } from '../testing/check-reward.js';
import { rewardOnChecks } from '../testing/check-reward-on.js';
import { toolChecks } from '../testing/check-tool.js';
import { creation, type CheckDescription } from '../testing/conformance-kit.js';
import { packageChecks, packagePreparation } from './package-checks.js';
import { contributionChecks, entryChecks } from './process-checks.js';

const byKind: { readonly [kind: string]: readonly CheckDescription[] } = {
  package: [packagePreparation, ...packageChecks],
  entry: Object.values(entryChecks),
  contribution: Object.values(contributionChecks),
  environment: [environmentPreparation, environmentPreparation.availability, ...environmentChecks],
  reward: [creation, ...rewardChecks],
  'reward on an environment': [creation, ...rewardOnChecks],
  algorithm: [creation, ...algorithmChecks],
  policy: [creation, ...policyModelChecks],
  format: [creation, ...actionFormatChecks],
  tool: [creation, ...toolChecks],
  player: [creation, ...textPlayerChecks],
  sampler: [creation, ...tokenSamplerChecks],
};

/** All checks by kind, in the order in which they run. */
export function allChecks(): readonly { readonly kind: string; readonly checks: readonly CheckDescription[] }[] {
  return Object.entries(byKind).map(([kind, checks]) => ({ kind, checks }));
}
