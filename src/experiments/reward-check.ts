import type { RewardCheck } from '../config/resolve-recipe.js';
import { type EntryPlan, settingPath } from '../config/run-plan.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { createRandom } from '../random/create-random.js';
import { longestTurns } from '../training/horizon.js';
import { callsOfTurn } from '../rollout/toolbox.js';
import { atKey } from './at-key.js';
import { checkRewards, type StageReward } from './check-rewards.js';
import { Instances } from './instances.js';

/** Checks rewards with schemes and algorithms of these plugins. No environment is opened. */
export function rewardCheck(host: PluginHost, settings: Omit<HostSettings, 'random'>): RewardCheck {
  return async ({ entries, recipe, stages, toolLimits }) => {
    const instances = new Instances(host, { ...settings, random: createRandom(recipe.seed) });
    const rewards: StageReward[] = [];
    for (const stage of stages) {
      if (stage.kind !== 'rl') continue;
      const { discount } = await atKey(settingPath(stage, ['algorithm']), () => instances.algorithm(stage.algorithm));
      for (const [place, { horizon, reward: own, rewardPath: path }] of stage.entries.entries()) {
        const { environment, sampling, tools } = entries[place] as EntryPlan;
        const { contribution } = await host.find('environment', environment.name);
        rewards.push({
          path,
          reward: await atKey(path, () => instances.reward(own.terms)),
          allowInversion: own.allowInversion,
          horizon: longestTurns(horizon),
          milestones: contribution.facts?.includes('milestones') ?? false,
          actionTokens: sampling.maxActionTokens,
          calls: tools.length > 0 || contribution.tools === true ? callsOfTurn(toolLimits) : 0,
          ...(discount && { discount }),
        });
      }
    }
    const findings = checkRewards(rewards);
    const isPriced = (recipe.budget?.costs.judgeToken ?? 0) > 0;
    if (!isPriced || rewards.some(({ reward }) => reward.judges.length > 0)) return findings;
    const message = '`budget.costs.judgeToken` has no effect: no term of a `reward` is a judge.';
    const hint = 'Remove it, or add a judge such as `judged`.';
    return [...findings, { code: 'idle', path: ['budget', 'costs', 'judgeToken'], message, hint }];
  };
}
