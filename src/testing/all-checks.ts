import { algorithmChecks } from './check-algorithm.js';
import { actionFormatChecks } from './check-action-format.js';
import { environmentChecks } from './check-environment.js';
import { policyModelChecks } from './check-policy-model.js';
import { rewardChecks } from './check-reward.js';
import { rewardOnChecks } from './check-reward-on.js';
import { toolChecks } from './check-tool.js';
import type { CheckedKind } from './check-table.js';

type Described = { readonly id: string; readonly title: string; readonly severity: 'error' | 'warning' };

/** Every check of every kit, in the order in which they run; `create` stands before each. */
export const kitChecks: {
  readonly [Kind in Exclude<CheckedKind, 'package' | 'entry' | 'contribution'>]: readonly Described[];
} = {
  environment: environmentChecks,
  reward: rewardChecks,
  'reward on an environment': rewardOnChecks,
  algorithm: algorithmChecks,
  policy: policyModelChecks,
  format: actionFormatChecks,
  tool: toolChecks,
};
