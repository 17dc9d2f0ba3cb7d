import type { AdviceRule } from './advice.js';
import { cutActions, cutByHorizon, invalidTurns } from './rules/episodes.js';
import { groupsWithSignal } from './rules/groups.js';
import { gain, generalisation, movement, overRandom, power, randomFloor, unfinished } from './rules/outcome.js';
import { imitation } from './rules/imitation.js';
import { creditLevel, rareReward, rewardOrder } from './rules/reward.js';
import { splits } from './rules/splits.js';
import { coldStart, supervisedEpochs, supervisedShare } from './rules/supervised.js';
import { clippedGradients, critic, trainingRules } from './rules/training.js';
import { firstHorizon, turnBudget } from './rules/turn-budget.js';

/**
 * Every rule, in the order in which it is told: what reinforcement learning begins from (all else follows from it), then
 * outcome, environment, reward, policy, updates, statistics.
 */
export const adviceRules: readonly AdviceRule[] = [
  imitation,
  coldStart,
  gain,
  unfinished,
  movement,
  overRandom,
  generalisation,
  turnBudget,
  firstHorizon,
  cutByHorizon,
  invalidTurns,
  cutActions,
  randomFloor,
  splits,
  rewardOrder,
  rareReward,
  creditLevel,
  groupsWithSignal,
  supervisedEpochs,
  supervisedShare,
  critic,
  ...trainingRules,
  clippedGradients,
  power,
];
