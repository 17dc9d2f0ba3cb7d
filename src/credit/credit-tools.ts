import type { CreditTools } from '../contracts/credit.js';
import { actionTokens, episodeReturns, spreadOverTokens } from './action-tokens.js';
import { aggregationWeights } from './aggregation-weights.js';
import { groupRows, meanAndDeviation } from './group-statistics.js';
import { klExpression } from './kl-expression.js';

/** What an algorithm's host carries as `credit`. */
export const creditTools: CreditTools = {
  actionTokens,
  episodeReturns,
  groupRows,
  spreadOverTokens,
  aggregationWeights,
  meanAndDeviation,
  klExpression,
};
