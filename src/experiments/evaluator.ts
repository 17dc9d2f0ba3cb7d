import type { Recipe } from '../config/recipe-schema.js';
import type { SplitName } from '../contracts/environment.js';
import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { type Evaluation, evaluate } from '../evaluation/evaluate.js';
import type { Actor, ModelActor } from '../rollout/actor.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import { showPieces } from '../rollout/show-pieces.js';
import type { StageEvaluation } from '../training/run-stage.js';
import { baselinePlayers } from './baseline-players.js';
import type { DiskJournal } from './disk-journal.js';
import { evaluationRandom } from './evaluation-random.js';
import type { OpenEnvironment } from './instances.js';
import type { Baselines } from './run-result.js';
import { evaluationHorizon, rolloutSettings } from './stage-plan.js';

export interface EvaluatorOptions {
  readonly recipe: Recipe;
  readonly environment: OpenEnvironment;
  readonly reward: ComposedReward;
  readonly actor: ModelActor;
  readonly journal: DiskJournal;
  /** The run's root stream. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Names under which episodes of the final evaluation are kept; no stage can be called so. */
export const evaluationEpisodes = { start: 'evaluation.start', final: 'evaluation.final' } as const;

/** The evaluations of a run. All of one split play the same tasks in the same worlds, so that differences are paired. */
export class Evaluator {
  readonly #options: EvaluatorOptions;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  /** What a stage evaluates while it trains; undefined where the recipe wants none. */
  during(stage: string): StageEvaluation | undefined {
    const { every, split, tasks, episodesPerTask, temperatures } = this.#options.recipe.evaluation;
    if (every === 0) return undefined;
    return {
      every,
      evaluate: async (step) => {
        const evaluations: Evaluation[] = [];
        for (const temperature of temperatures) {
          evaluations.push(await this.#play(this.#policyAt(temperature), split, tasks, episodesPerTask));
        }
        // All or none: an interruption between two temperatures leaves no line that a resume would write again.
        for (const evaluation of evaluations) this.#write(stage, step, 'policy', evaluation);
        return evaluations.map(({ summary }) => summary);
      },
    };
  }

  /** The policy before a stage, as the final evaluation will see it: the same tasks and temperatures. */
  async start(stage: string): Promise<EvaluationSummary[]> {
    this.#tell('evaluating the policy before reinforcement learning');
    return this.#playPolicy(stage, 0, 'start', evaluationEpisodes.start);
  }

  /** The final evaluation, at temperature 0 and the recipe's others, and its baselines. */
  async finish(stage: string, step: number): Promise<{ evaluations: EvaluationSummary[]; baselines: Baselines }> {
    this.#tell('final evaluation');
    const evaluations = await this.#playPolicy(stage, step, 'policy', evaluationEpisodes.final);
    const baselines: { -readonly [name in keyof Baselines]: Baselines[name] } = {};
    for (const [name, player] of await baselinePlayers(this.#options.environment)) {
      this.#tell(`playing the baseline ${name}`);
      const evaluation = await this.#playFinal({ kind: 'player', player });
      this.#write(stage, step, name, evaluation);
      baselines[name] = evaluation.summary;
    }
    return { evaluations, baselines };
  }

  /** The policy on the final tasks at temperature 0, whose episodes are kept, and the recipe's others. */
  async #playPolicy(stage: string, step: number, player: string, episodes: string): Promise<EvaluationSummary[]> {
    const summaries: EvaluationSummary[] = [];
    for (const temperature of new Set([0, ...this.#options.recipe.evaluation.final.temperatures])) {
      const evaluation = await this.#playFinal(this.#policyAt(temperature));
      this.#write(stage, step, player, evaluation);
      if (temperature === 0) this.#keepEpisodes(episodes, evaluation);
      summaries.push(evaluation.summary);
    }
    return summaries;
  }

  #policyAt(temperature: number): ModelActor {
    const { actor } = this.#options;
    return { ...actor, sampling: { ...actor.sampling, temperature } };
  }

  #playFinal(actor: Actor): Promise<Evaluation> {
    const { split, tasks, episodesPerTask } = this.#options.recipe.evaluation.final;
    return this.#play(actor, split, tasks, episodesPerTask);
  }

  #play(actor: Actor, split: SplitName, tasks: number | 'all', attempts: number): Promise<Evaluation> {
    const { recipe, environment, reward, random, signal } = this.#options;
    return evaluate(actor, {
      splits: environment.splits,
      split,
      tasks: tasks === 'all' ? Infinity : tasks,
      attempts,
      environments: environment.pool,
      reward,
      horizon: evaluationHorizon(recipe),
      random: evaluationRandom(recipe, random),
      rollout: rolloutSettings(recipe.rollout),
      signal,
    });
  }

  #write(stage: string, step: number, player: string, { summary, outcomes }: Evaluation): void {
    this.#options.journal.evaluation({ stage, step, player, evaluation: summary, outcomes });
  }

  #keepEpisodes(name: string, { episodes }: Evaluation): void {
    const kept = episodes.slice(0, this.#options.recipe.record.episodes);
    this.#options.journal.episodes(name, 0, showPieces(kept, this.#options.actor.model.encoder));
  }

  #tell(message: string): void {
    this.#options.journal.event({ type: 'activity', message });
  }
}
