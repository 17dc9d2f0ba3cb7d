import type { RunPlan } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { type Evaluation, evaluate } from '../evaluation/evaluate.js';
import type { Actor, ModelActor } from '../rollout/actor.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import { showPieces } from '../rollout/show-pieces.js';
import { tickEpisodes } from '../reporting/episode-progress.js';
import type { StageEvaluation } from '../training/run-stage.js';
import { baselinePlayers } from './baseline-players.js';
import type { DiskJournal } from '../runs/disk-journal.js';
import { evaluationActivities } from './evaluation-activities.js';
import { evaluationRandom } from './evaluation-random.js';
import type { OpenEnvironment } from './open-environment.js';
import type { RunResult, TransferResult } from '../runs/run-result.js';

export interface EvaluatorOptions {
  readonly plan: RunPlan;
  readonly environment: OpenEnvironment;
  /** Environments of `evaluation.final.transfer`, except the recipe's own. */
  readonly transfer: ReadonlyMap<string, OpenEnvironment>;
  readonly reward: ComposedReward;
  readonly actor: ModelActor;
  readonly journal: DiskJournal;
  /** Clusters of tasks that the run trained on so far; undefined if no split may have some of them. */
  readonly trainedClusters: () => ReadonlySet<string> | undefined;
  /** The run's root stream. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Names for stored episodes of the final evaluation. No stage can have these names. */
export const evaluationEpisodes = { start: 'evaluation.start', final: 'evaluation.final' } as const;

/** A line of progress stands in a log, so it may not come often. */
const secondsBetweenLines = 10;

/** The environment and the horizon of an evaluation. */
interface EvaluatedWorld {
  readonly environment: OpenEnvironment;
  readonly horizon: number;
}

/** A player's evaluation. */
interface Played {
  readonly player: string;
  readonly evaluation: Evaluation;
}

/** The results of a run's final evaluation. */
export type FinalEvaluation = Pick<RunResult, 'evaluations' | 'baselines' | 'transfer'>;

/**
 * The evaluations of a run. All evaluations of one split play the same tasks in the same worlds, so that differences
 * are paired.
 */
export class Evaluator {
  readonly #options: EvaluatorOptions;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  /** Evaluations of a stage during training; undefined if the recipe has none. */
  during(stage: string): StageEvaluation | undefined {
    const { every, split, tasks, episodesPerTask, temperatures } = this.#options.plan.recipe.evaluation;
    if (every === 0) return undefined;
    return {
      every,
      evaluate: async (step) => {
        const evaluations: Evaluation[] = [];
        for (const temperature of temperatures) {
          evaluations.push(await this.#play(this.#policyAt(temperature), this.#own, split, tasks, episodesPerTask));
        }
        // All lines are written together: an interruption between two temperatures leaves no line that a resume would
        // repeat.
        for (const evaluation of evaluations) this.#write(stage, step, { player: 'policy', evaluation });
        return evaluations.map(({ summary }) => summary);
      },
    };
  }

  /** Evaluates the policy before a stage, on tasks of the final evaluation. Empty if the recipe wants none. */
  async start(stage: string): Promise<EvaluationSummary[]> {
    const { tasks, temperatures } = this.#options.plan.before;
    if (tasks === 0) return [];
    this.#tell('evaluating the policy before reinforcement learning');
    const settings = { temperatures, ...(tasks !== 'all' && { part: tasks }) };
    const played = await this.#playPolicy('start', this.#own, (line) => this.#write(stage, 0, line), settings);
    this.#keepEpisodes(evaluationEpisodes.start, played);
    return played.map(({ evaluation }) => evaluation.summary);
  }

  /**
   * Makes the final evaluation at temperature 0 and the recipe's other temperatures, and plays the baselines. Then it
   * repeats both in each environment of `transfer`.
   */
  async finish(stage: string, step: number): Promise<FinalEvaluation> {
    this.#tell(evaluationActivities.final);
    const write = (played: Played, environment?: string) => this.#write(stage, step, played, environment);
    const own = await this.#playPolicy('policy', this.#own, write);
    this.#keepEpisodes(evaluationEpisodes.final, own);
    own.push(...(await this.#playBaselines(this.#own, write)));
    const { transfer: others } = this.#options.plan;
    const transfer: Record<string, TransferResult> = {};
    for (const { name, horizon } of others) {
      const writeOther = (played: Played) => write(played, name);
      const environment = this.#options.transfer.get(name);
      let played: readonly Played[] = own;
      if (environment === undefined) own.forEach(writeOther);
      else {
        this.#tell(`${evaluationActivities.final} on ${name}`);
        const place = { environment, horizon };
        played = [
          ...(await this.#playPolicy('policy', place, writeOther)),
          ...(await this.#playBaselines(place, writeOther)),
        ];
      }
      transfer[name] = resultOf(played, name);
    }
    return { ...resultOf(own), ...(others.length > 0 && { transfer }) };
  }

  /** The recipe's own environment. */
  get #own(): EvaluatedWorld {
    const { environment, plan } = this.#options;
    return { environment, horizon: plan.evaluationHorizon };
  }

  /** Evaluates the policy on the final tasks, or a part of them, at temperature 0 and others. */
  async #playPolicy(
    player: string,
    place: EvaluatedWorld,
    write: (played: Played) => void,
    { temperatures, part }: { readonly temperatures: readonly number[]; readonly part?: number } = this.#options.plan
      .recipe.evaluation.final,
  ): Promise<Played[]> {
    const all: Played[] = [];
    for (const temperature of new Set([0, ...temperatures])) {
      const played = { player, evaluation: await this.#playFinal(this.#policyAt(temperature), place, part) };
      write(played);
      all.push(played);
    }
    return all;
  }

  async #playBaselines(place: EvaluatedWorld, write: (played: Played) => void): Promise<Played[]> {
    const all: Played[] = [];
    for (const actor of baselinePlayers(place.environment)) {
      this.#tell(`${evaluationActivities.baseline} ${actor.player}`);
      const played = { player: actor.player, evaluation: await this.#playFinal(actor, place) };
      write(played);
      all.push(played);
    }
    return all;
  }

  #policyAt(temperature: number): ModelActor {
    const { actor } = this.#options;
    return { ...actor, sampling: { ...actor.sampling, temperature, exact: true } };
  }

  #playFinal(actor: Actor, place: EvaluatedWorld, part?: number): Promise<Evaluation> {
    const { split, tasks, episodesPerTask } = this.#options.plan.recipe.evaluation.final;
    return this.#play(actor, place, split, tasks, episodesPerTask, part);
  }

  #play(
    actor: Actor,
    { environment, horizon }: EvaluatedWorld,
    split: SplitName,
    tasks: number | 'all',
    attempts: number,
    part?: number,
  ): Promise<Evaluation> {
    const { plan, reward, random, signal, trainedClusters } = this.#options;
    const ticker = tickEpisodes((line) => this.#tell(line), secondsBetweenLines);
    ticker.begin(actor.kind === 'model' ? `evaluation at temperature ${actor.sampling.temperature}` : 'baseline');
    return evaluate(actor, {
      ...(this.#sharesClusters(environment) && { trainedClusters: trainedClusters() }),
      ...(part !== undefined && { part }),
      progress: (counts) => ticker.take(counts),
      split,
      tasks: tasks === 'all' ? Infinity : tasks,
      attempts,
      environments: environment.pool,
      reward,
      horizon,
      // All environments use the same stream, so runs that trained elsewhere play in the same worlds.
      random: evaluationRandom(plan.recipe, random),
      rollout: plan.rollout,
      signal,
    }).finally(() => ticker.close());
  }

  /**
   * Whether held-out tasks may belong to clusters that the run trains on. Clusters of an environment with another name
   * are always different.
   */
  #sharesClusters({ name, world }: OpenEnvironment): boolean {
    const own = this.#options.environment;
    return name === own.name && (own.world.sharesClusters || world.sharesClusters);
  }

  #write(stage: string, step: number, { player, evaluation }: Played, environment?: string): void {
    const { summary, outcomes } = evaluation;
    this.#options.journal.evaluation({ stage, step, player, evaluation: playedIn(summary, environment), outcomes });
  }

  /** Keeps episodes of the first evaluation, which is at temperature 0. */
  #keepEpisodes(name: string, [first]: readonly Played[]): void {
    const kept = first?.evaluation.episodes.slice(0, this.#options.plan.recipe.record.episodes) ?? [];
    this.#options.journal.episodes(name, 0, showPieces(kept, this.#options.actor.model.encoder));
  }

  #tell(message: string): void {
    this.#options.journal.event({ type: 'activity', message });
  }
}

function resultOf(all: readonly Played[], environment?: string): TransferResult {
  const summaryOf = ({ evaluation }: Played) => playedIn(evaluation.summary, environment);
  const baselines = all.filter(({ player }) => player !== 'policy');
  return {
    evaluations: all.filter(({ player }) => player === 'policy').map(summaryOf),
    baselines: Object.fromEntries(baselines.map((played) => [played.player, summaryOf(played)])),
  };
}

function playedIn(summary: EvaluationSummary, environment: string | undefined): EvaluationSummary {
  return environment === undefined ? summary : { ...summary, environment };
}
