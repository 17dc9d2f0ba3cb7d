// The limits of all rules and their sources. "Guide" is Wang and Ammanabrolu, A Practitioner's Guide to Multi-turn
// Agentic Reinforcement Learning (arXiv 2510.01132, version 2). docs/advice.md has the same table; a test compares
// them.

export interface Threshold {
  readonly value: number;
  /** The limited quantity. */
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
    source: 'ours: the policy fails such tasks whatever it learns',
  },
  firstHorizon: {
    value: 0.5,
    of: 'share of tasks that the oracle solves within the first horizon of a schedule',
    source: 'ours, recipes/quickstart: with 3 of 5 turns a short horizon cannot separate good play from bad',
  },
  cutByHorizon: {
    value: 0.2,
    of: 'share of late training episodes that the horizon cuts',
    source: 'ours, rule of thumb; Guide, table 4 shows that more turns help',
  },
  invalid: {
    value: 0.05,
    of: 'share of late turns with a malformed or illegal action',
    source: "ours, rule of thumb; in the Guide's code such turns cost nothing",
  },
  cutActions: {
    value: 0.1,
    of: 'share of late actions that reach maxActionTokens',
    source: 'ours, src/training/health-rules.ts (length-runaway)',
  },
  signal: {
    value: 0.5,
    of: 'share of groups whose returns differ',
    source: 'ours, recipes/textcraft: with most groups flat, 120 steps showed no gain',
  },
  severeSignal: {
    value: 0.1,
    of: 'share of groups whose returns differ; below it the finding is a problem, not advice',
    source: 'ours, src/training/health-rules.ts (no-signal)',
  },
  rewardsPerEpisode: {
    value: 0.05,
    of: 'rewarded turns per episode of the starting policy',
    source: 'ours: at 0.05 about half of the groups of 16 see a reward, 1 - 0.95^16',
  },
  rewardedTurns: {
    value: 1.5,
    of: 'rewarded turns per plan of the oracle; above it the position of rewards matters',
    source: 'ours, docs/rewards.md: estimators with level: episode add rewards up',
  },
  coldStart: {
    value: 0.05,
    of: 'success of the starting policy',
    source: 'Guide, ALFWorld (table 7): a base at 0 to 1 % was first fine-tuned on 300 games',
  },
  imitation: {
    value: 0.1,
    of: 'success of the imitated expert above the success of the policy after supervised fine-tuning',
    source:
      'ours, recipes/quickstart: its start is 5 points below its demonstrator, and reinforcement learning closes the gap',
  },
  heldOutRise: {
    value: 0.02,
    of: 'rise of the held-out loss above its minimum, as a share of the minimum',
    source: 'ours, rule of thumb: the model memorises if its loss rises on other games and falls on training games',
  },
  heldOutGap: {
    value: 0.1,
    of: 'share by which the loss on training games is below the loss on held-out games',
    source: 'ours, rule of thumb',
  },
  gamesPerTask: {
    value: 10,
    of: 'demonstrations per training task; above it a model that memorises needs more tasks, not more games',
    source: 'ours, rule of thumb: a Wordle of 59 training tasks stood at 44 % after 500 games and after 12,800',
  },
  heldOutFall: {
    value: 0.005,
    of: 'fall of the held-out loss over the last quarter of a supervised stage, as a share; above it the stage still learns',
    source: 'ours, rule of thumb: the learning rate falls there, so a loss that still falls has far to go',
  },
  supervisedSteps: {
    value: 1000,
    of: 'steps of a supervised stage; below it a policy that has not learnt its games needs more steps',
    source: 'ours, recipes/textcraft: 350 steps taught less than 900',
  },
  supervisedEpochs: {
    value: 1.5,
    of: 'times that a pretrained model sees each demonstration',
    source: 'Guide, appendix C: exactly one',
  },
  supervisedShareLow: {
    value: 0.4,
    of: 'smallest share of demonstrations in a budget',
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
    source: 'ours, docs/algorithms.md: with lambda 1 it is the share of noise that the critic removes',
  },
  collapse: {
    value: 0.1,
    of: 'fall of success in training, from its highest mean of up to five steps to its last quarter; a smaller one may be a change of tasks',
    source: 'ours, rule of thumb: at too high a learning rate, guess-number fell from 100 % to 67 %',
  },
  unchanged: {
    value: 0.95,
    of: 'share of final tasks played the same as before reinforcement learning',
    source: 'ours, recipes/practitioners-guide: a preset learns almost nothing at 1e-6',
  },
  reinforcedSteps: {
    value: 250,
    of: 'steps of reinforcement learning; below it a missing gain may come from too few steps, and a gain may grow with more',
    source: 'ours, recipes/quickstart: 250 steps beat its demonstrator',
  },
  stillRising: {
    value: 0.02,
    of: 'rise of success from the third to the last quarter of reinforcement learning; above it training should go on, and an interval below it shows that success has levelled off',
    source: 'ours, rule of thumb: the learning rate falls there, so success that still rises has further to go',
  },
  randomFloor: {
    value: 0.5,
    of: 'success of random play',
    source: 'ours, rule of thumb: above one half, most of the scale is chance',
  },
  generalisation: {
    value: 0.1,
    of: 'success on training tasks above success on held-out tasks',
    source: 'ours, recipes/textcraft: 82 to 95 % in training, 25 % on puzzles outside it',
  },
  usefulDifference: {
    value: 0.1,
    of: 'difference of success that an ablation of 5 seeds should detect',
    source: 'Guide, tables 7 and 13: neighbouring settings lie 6 to 15 points apart',
  },
} as const satisfies { readonly [name: string]: Threshold };
