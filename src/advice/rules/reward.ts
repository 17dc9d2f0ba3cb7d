import { formatPath } from '../../config/recipe-layer.js';
import { settingPath } from '../../config/run-plan.js';
import { fine, taughtFirst, unknown, type AdviceRule, type Subject } from '../advice.js';
import type { PlayMeasure } from '../measured.js';
import { thresholds } from '../thresholds.js';

/** Whether every success returns more than every failure. */
export const rewardOrder: AdviceRule = {
  id: 'reward-order',
  judge({ planned, measured: { rewards } }) {
    const [entry] = Object.entries(rewards);
    if (planned.lastRl === undefined || entry === undefined) return undefined;
    const [key, { success, failure }] = entry;
    const evidence = `bounds of \`${key}\`: successes ${success.join(' to ')}, failures ${failure.join(' to ')}`;
    if (success[0] > failure[1])
      return fine(`a success returns at least ${success[0]}, a failure at most ${failure[1]}`);
    return {
      verdict: 'finding',
      severity: 'problem',
      finding: `A failure can return ${failure[1]} and a success only ${success[0]}: training may teach the policy to fail.`,
      evidence,
      source: "the Guide's released code inverts rewards like this (docs/rewards.md); section 5 item 18 is ours",
      basis: 'ours',
      trial: { axis: 'sparsity' },
    };
  },
};

/** Rewarded turns per episode of the starting policy, or the reason why they are unknown. */
function firstRewards({ planned, kind, measured }: Subject): { readonly value: number; readonly of: string } | string {
  const { run, players } = measured;
  if (run !== undefined) {
    const [perTurn, turns] = [run.early['rollout/rewards_per_turn'], run.early['rollout/turns_mean']];
    if (perTurn === undefined || turns === undefined) return 'the run did not log `rollout/rewards_per_turn`';
    return { value: perTurn * turns, of: `the policy over the first ${run.earlySteps} steps of \`${run.stage}\`` };
  }
  if (kind === 'run') return 'the run has logged no step of reinforcement learning';
  const start = untrainedStart(planned, players);
  if (typeof start === 'string') return start;
  return { value: start.random.density.rewardsPerTurn * start.random.turnsMean, of: start.of };
}

/** Random play as the starting policy of a recipe, or the reason why that is unknown. */
export function untrainedStart(
  planned: Subject['planned'],
  { random }: Subject['measured']['players'],
): { readonly random: PlayMeasure; readonly of: string } | string {
  if (startsTaught(planned)) return taughtFirst;
  if (random === undefined) return 'no player played';
  return { random, of: `random play of ${random.tasks} training tasks, which is close to an untrained policy` };
}

/** Whether the policy knows something before reinforcement learning begins. */
export function startsTaught({ recipe, stages }: Subject['planned']): boolean {
  return recipe.policy.from !== undefined || stages.some(({ kind }) => kind === 'sft');
}

/** Whether the starting policy sees rewards. */
export const rareReward: AdviceRule = {
  id: 'rare-reward',
  explainedBy: ['imitation'],
  judge(subject) {
    if (subject.planned.lastRl === undefined) return undefined;
    const first = firstRewards(subject);
    if (typeof first === 'string') return unknown(first);
    const evidence = `${first.value.toFixed(3)} rewarded turns per episode: ${first.of}`;
    if (first.value >= thresholds.rewardsPerEpisode.value)
      return fine(`rewards are found from the start (${evidence})`);
    return {
      verdict: 'finding',
      severity: 'problem',
      finding: `${Math.round(100 * first.value)} of 100 episodes of the starting policy get a reward: most groups contain only failures.`,
      evidence,
      source: 'the Guide, section 5 item 16 and table 11 (RLOO: 0.35 sparse, 0.55 dense); docs/rewards.md',
      basis: 'both',
      trial: { axis: 'sparsity' },
    };
  },
};

/** Whether the estimator uses the positions of dense rewards. */
export const creditLevel: AdviceRule = {
  id: 'credit-level',
  judge({ planned: { lastRl: rl }, measured: { players } }) {
    const level = rl?.algorithm.options['level'];
    if (rl === undefined || level === undefined) return undefined;
    const { oracle, random } = players;
    if (oracle === undefined) return unknown('no oracle played, so the density of the reward is unknown');
    const rewarded = oracle.density.rewardsPerTurn * oracle.turnsMean;
    const { name } = rl.algorithm;
    const evidence =
      `${rewarded.toFixed(1)} rewarded turns in an oracle's episode of ${oracle.turnsMean.toFixed(1)} turns` +
      (random?.density.stepsPerReward
        ? `, one in ${random.density.stepsPerReward.toFixed(1)} turns of random play`
        : '') +
      ` (${oracle.tasks} training tasks)`;
    if (rewarded < thresholds.rewardedTurns.value) {
      return fine(
        `${rewarded.toFixed(1)} rewarded turns in an oracle's episode, so credit per turn would change nothing`,
      );
    }
    if (level === 'turn')
      return fine(`${name} gives credit per turn, and an oracle's episode has ${rewarded.toFixed(1)} rewarded turns`);
    return {
      verdict: 'finding',
      severity: 'hint',
      finding: `There are intermediate rewards, but ${name} with level ${JSON.stringify(level)} adds up an episode's rewards and ignores which turn earned them.`,
      evidence,
      source: 'docs/rewards.md; the Guide, section 3.3 (RLOO: 0.55 at both densities)',
      basis: 'both',
      change: { [formatPath(settingPath(rl, ['algorithm', 'options', 'level']))]: 'turn' },
      trial: { axis: 'algorithm', values: [name, 'ppo'] },
    };
  },
};
