import type { AdviceRule } from './advice.js';
import { collapse } from './rules/collapse.js';
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
 * All rules in the order of the advice: first the start of reinforcement learning, on which the rest depends, then
 * outcome, environment, reward, policy, updates, statistics.
 */
export const adviceRules: readonly AdviceRule[] = [
  imitation,
  coldStart,
  collapse,
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
