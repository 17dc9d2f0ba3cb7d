import type { SplitName } from '../contracts/environment.js';
import type { EvaluationSummary } from '../contracts/evaluation.js';
import { type EvaluateOptions, evaluate } from '../evaluation/evaluate.js';
import { baselinePlayers, type BaselineName } from './baseline-players.js';
import { type ContestantRequest, defaultRollout, openContestant } from './open-contestant.js';
import type { Baselines } from '../runs/run-result.js';

export interface EvaluatePolicyRequest extends ContestantRequest {
  readonly policy: string;
  readonly split: SplitName;
  /** At most every task once. */
  readonly tasks: number;
  readonly episodesPerTask: number;
}

/** What `agentgym evaluate --json` prints. */
export interface PolicyEvaluation {
  readonly policy: string;
  readonly environment: string;
  readonly evaluation: EvaluationSummary;
  /** On the same split, tasks and seeds. */
  readonly baselines: Pick<Baselines, 'random' | 'oracle' | 'demonstrator'>;
}

/** Plays tasks of a split, and lets the baselines play the same ones. */
export async function evaluatePolicy(request: EvaluatePolicyRequest): Promise<PolicyEvaluation> {
  const contestant = await openContestant(request);
  try {
    const { actor, environment, horizon, name, reward, trainedClusters } = contestant;
    const options: EvaluateOptions = {
      trainedClusters,
      split: request.split,
      tasks: request.tasks,
      attempts: request.episodesPerTask,
      environments: environment.pool,
      reward,
      horizon,
      random: request.settings.random.stream('evaluation'),
      rollout: { ...defaultRollout, retries: 2 },
      signal: request.settings.signal,
    };
    const { summary } = await evaluate(actor, options);
    const baselines: { -readonly [baseline in BaselineName]?: EvaluationSummary } = {};
    for (const baseline of baselinePlayers(environment)) {
      baselines[baseline.player] = (await evaluate(baseline, options)).summary;
    }
    return { policy: name, environment: environment.name, evaluation: summary, baselines };
  } finally {
    await contestant.dispose();
  }
}
