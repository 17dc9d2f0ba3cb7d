/** The public door `@agentgym/cli/testing`: what plugin authors test with. */
export { testHost } from './test-host.js';
export { TabularEncoder, type PieceLevel } from './tabular-encoder.js';
export { TabularPolicy, type TabularPolicyOptions } from './tabular-policy.js';
export { checkEnvironment } from './check-environment.js';
export { describeEnvironment } from './describe-environment.js';
export { replayEpisodes } from './environment-checks/compare-processes.js';
export type { EnvironmentCheckSettings, EnvironmentSubject } from './environment-checks/environment-subject.js';
export type { Finding } from './finding.js';
export { evaluateLoss, type EvaluatedLoss, type LiveArrays } from '../credit/evaluate-loss.js';
export { lossInputs, lossOperations } from '../credit/loss-operations.js';
export { buildBatch, type BatchRow } from '../rollout/build-batch.js';
export { optionDefaults } from './option-defaults.js';
export { checkActionFormat, describeActionFormat } from './check-action-format.js';
export type { ActionFormatCheckSettings, ActionFormatSubject } from './check-action-format.js';
export { checkReward, describeReward } from './check-reward.js';
export type { RewardCheckSettings, RewardSubject } from './check-reward.js';
export { checkAlgorithm, describeAlgorithm, type AlgorithmSubject } from './check-algorithm.js';
export type { KitSettings } from './conformance-kit.js';
