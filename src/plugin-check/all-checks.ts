import { curriculumKit } from '../testing/curriculum-kit.js';
import { formatKit } from '../testing/format-kit.js';
import { algorithmKit } from '../testing/algorithm-kit.js';
import { environmentKit } from '../testing/environment-kit.js';
import { judgeKit } from '../testing/judge-kit.js';
import { policyKit } from '../testing/policy-kit.js';
import { rewardOnKit } from '../testing/reward-on-kit.js';
import { rewardKit } from '../testing/reward-kit.js';
import { playerKit } from '../testing/player-kit.js';
import { samplerKit } from '../testing/sampler-kit.js';
import { toolKit } from '../testing/tool-kit.js';
import type { CheckDescription } from '../testing/conformance-kit.js';
import { packageKit } from './package-checks.js';
import { entryKit, loadKit, observerChecks } from './process-checks.js';

/** All checks by kind, in the order in which they run. */
export const allChecks: { readonly [kind: string]: readonly CheckDescription[] } = {
  package: packageKit.checks,
  entry: entryKit.checks,
  contribution: loadKit.checks,
  'entry and contribution': Object.values(observerChecks),
  environment: environmentKit.checks,
  reward: rewardKit.checks,
  'reward that judges': judgeKit.checks,
  'reward on an environment': rewardOnKit.checks,
  algorithm: algorithmKit.checks,
  policy: policyKit.checks,
  format: formatKit.checks,
  tool: toolKit.checks,
  player: playerKit.checks,
  sampler: samplerKit.checks,
  curriculum: curriculumKit.checks,
};
