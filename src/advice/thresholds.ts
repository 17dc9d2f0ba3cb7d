// Every limit at which a rule speaks, with where it comes from. "Guide" is Wang and Ammanabrolu, A Practitioner's Guide
// to Multi-turn Agentic Reinforcement Learning (arXiv 2510.01132, version 2). docs/advice.md has the same table; a test
// compares them.

export interface Threshold {
  readonly value: number;
  /** What it is a limit of. */
  readonly of: string;
  readonly source: string;
}

export const thresholds = {
  turnsPerPlan: {
    value: 2,
    of: "turns of an episode per turn of the oracle's plan",
    source: 'Guide, table 4: plans of 4 turns solved 0.55, 0.73, 0.80, 0.88 of games with 6, 8, 12, 16 turns',
  },
  unreachable: {
    value: 0.05,
    of: 'share of tasks that the oracle cannot solve within the horizon',
    source: 'ours: such tasks are failures whatever is learnt',
  },
  firstHorizon: {
    value: 0.5,
    of: 'share of tasks that the oracle solves within the first horizon of a schedule',
    source: 'ours, recipes/quickstart: with 3 of 5 turns a short horizon cannot tell good play from bad',
  },
  cutByHorizon: {
    value: 0.2,
    of: 'share of late training episodes that the horizon cuts',
    source: 'ours, rule of thumb; that more turns help is Guide, table 4',
  },
  invalid: {
    value: 0.05,
    of: 'share of late turns whose action was malformed or not legal',
    source: "ours, rule of thumb; in the Guide's code such turns cost nothing",
  },
  cutActions: {
    value: 0.1,
    of: 'share of late actions that run into maxActionTokens',
    source: 'ours, src/training/health-rules.ts (length-runaway)',
  },
  signal: {
    value: 0.5,
    of: 'share of groups whose returns differ',
    source: 'ours, recipes/textcraft: with most groups flat, 120 steps showed no gain',
  },
  severeSignal: {
    value: 0.1,
    of: 'share of groups whose returns differ, below which it is a problem rather than advice',
    source: 'ours, src/training/health-rules.ts (no-signal)',
  },
  rewardsPerEpisode: {
    value: 0.05,
    of: 'rewarded turns per episode of the policy that begins',
    source: 'ours: at 0.05 about half of the groups of 16 see a reward, 1 - 0.95^16',
  },
  rewardedTurns: {
    value: 1.5,
    of: "rewarded turns per plan of the oracle's, above which rewards have a place",
    source: 'ours, docs/rewards.md: estimators with level: episode add rewards up',
  },
  coldStart: {
    value: 0.05,
    of: 'success of the policy that begins',
    source: 'Guide, ALFWorld (table 7): a base at 0 to 1 % was first fine-tuned on 300 games',
  },
  imitation: {
    value: 0.1,
    of: 'success of the expert that is imitated, above that of the policy after supervised fine-tuning',
    source:
      'ours, recipes/quickstart: its start lies 5 points below its demonstrator, which reinforcement learning makes good',
  },
  heldOutRise: {
    value: 0.02,
    of: 'rise of the held-out loss from its least, as a share of it',
    source:
      'ours, rule of thumb: a loss that rises on other games while it falls on those that are shown is learnt by heart',
  },
  heldOutGap: {
    value: 0.1,
    of: 'share by which the loss on shown games lies below that on held-out ones',
    source: 'ours, rule of thumb',
  },
  heldOutFall: {
    value: 0.005,
    of: 'share by which the last quarter of a supervised stage lowers the held-out loss, above which it is still learning',
    source: 'ours, rule of thumb: the learning rate falls there, so a loss that still falls has far to go',
  },
  supervisedSteps: {
    value: 1000,
    of: 'steps of a supervised stage, below which a policy that has not learnt its games is given more of them',
    source: 'ours, recipes/textcraft: 350 steps were too few for what 900 taught',
  },
  supervisedEpochs: {
    value: 1.5,
    of: 'times that each demonstration is seen, by a pretrained model',
    source: 'Guide, appendix C: exactly one',
  },
  supervisedShareLow: {
    value: 0.4,
    of: 'least share of demonstrations in a budget',
    source: 'Guide, table 9: transfer 0.11 and 0.15 at 0 and 20 %, 0.44 at 40 %',
  },
  supervisedShareHigh: {
    value: 0.8,
    of: 'largest share of demonstrations in a budget',
    source: 'Guide, table 9: transfer 0.59 at 60 %, 0.35 at 80 %',
  },
  clippedGradients: {
    value: 0.5,
    of: 'share of steps whose gradient is clipped',
    source: 'ours, rule of thumb: beyond it the clip sets the length of most steps',
  },
  explainedVariance: {
    value: 0.1,
    of: 'share of the variance of returns that the critic explains late in training',
    source: 'ours, docs/algorithms.md: with lambda 1 it is the share of noise that the critic takes away',
  },
  unchanged: {
    value: 0.95,
    of: 'share of final tasks that are played as before reinforcement learning',
    source: 'ours, recipes/practitioners-guide: a preset learns next to nothing at 1e-6',
  },
  reinforcedSteps: {
    value: 250,
    of: 'steps of reinforcement learning, below which a missing gain may be due to too few of them',
    source: 'ours, recipes/quickstart: 250 steps pass its demonstrator',
  },
  stillRising: {
    value: 0.02,
    of: 'rise of success over the last quarter of reinforcement learning, above the quarter before',
    source: 'ours, rule of thumb: the learning rate falls there, so success that still rises has further to go',
  },
  randomFloor: {
    value: 0.5,
    of: 'success of random play',
    source: 'ours, rule of thumb: above a half, most of the scale is chance',
  },
  generalisation: {
    value: 0.1,
    of: 'success on training tasks above that on held-out ones',
    source: 'ours, recipes/textcraft: above 85 % in training, 69 % held out',
  },
  usefulDifference: {
    value: 0.1,
    of: 'difference of success that an ablation of 5 seeds should see',
    source: 'Guide, tables 7 and 13: neighbouring settings lie 6 to 15 points apart',
  },
} as const satisfies { readonly [name: string]: Threshold };
