import type { RewardJudge } from '../config/resolve-recipe.js';
import { settingPath } from '../config/run-plan.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { createRandom } from '../random/create-random.js';
import { atKey } from './at-key.js';
import { judgeRewards, type StageReward } from './check-rewards.js';
import { Instances } from './instances.js';

/** Judges rewards with schemes and algorithms of these plugins. No environment is opened. */
export function rewardJudge(host: PluginHost, settings: Omit<HostSettings, 'random'>): RewardJudge {
  return async ({ recipe, stages }) => {
    const instances = new Instances(host, { ...settings, random: createRandom(recipe.seed) });
    const { contribution } = await host.find('environment', recipe.environment.name);
    const rewards: StageReward[] = [];
    for (const stage of stages) {
      if (stage.kind !== 'rl') continue;
      const path = settingPath(stage, ['reward']);
      const reward = await atKey(path, () => instances.reward(stage.reward.terms));
      const { discount } = await atKey(settingPath(stage, ['algorithm']), () => instances.algorithm(stage.algorithm));
      rewards.push({
        path,
        reward,
        allowInversion: stage.reward.allowInversion,
        horizon: stage.longestHorizon,
        milestones: contribution.facts?.includes('milestones') ?? false,
        actionTokens: recipe.policy.sampling.maxActionTokens,
        tools: recipe.tools !== undefined,
        ...(discount && { discount }),
      });
    }
    return judgeRewards(rewards);
  };
}
