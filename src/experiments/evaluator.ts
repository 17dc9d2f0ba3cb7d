import type { RunPlan } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { type Evaluation, evaluate, evaluateTogether } from '../evaluation/evaluate.js';
import type { Actor } from '../rollout/actor.js';
import { showPieces } from '../rollout/show-pieces.js';
import { tickEpisodes } from '../reporting/episode-progress.js';
import type { StageEvaluation } from '../training/run-stage.js';
import { baselinePlayers } from './baseline-players.js';
import type { DiskJournal } from '../runs/disk-journal.js';
import { evaluationActivities } from './evaluation-activities.js';
import { evaluationRandom } from './evaluation-random.js';
import type { Parts, PlayedEntry } from './make-parts.js';
import type { OpenEnvironment } from './open-environment.js';
import type { EnvironmentResult, RunResult } from '../runs/run-result.js';
import type { TrainedClusters } from '../runs/trained-clusters.js';

export interface EvaluatorOptions extends Pick<Parts, 'entries' | 'transfer'> {
  readonly plan: RunPlan;
  readonly journal: DiskJournal;
  /**
   * Clusters of tasks that the run trained on so far, by the names of environments; undefined if no split may have some
   * of them.
   */
  readonly trainedClusters: () => TrainedClusters | undefined;
  /** The run's root stream. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Names for stored episodes of the final evaluation. No stage can have these names. */
export const evaluationEpisodes = { start: 'evaluation.start', final: 'evaluation.final' } as const;

/** A line of progress stands in a log, so it may not come often. */
const secondsBetweenLines = 10;

/** A player's evaluation in an environment. */
interface Played {
  readonly player: string;
  readonly evaluation: Evaluation;
}

/** How a player plays an evaluation. */
interface Way {
  readonly player: string;
  /** What is said while it plays. */
  readonly title: string;
  /** Its actor in an environment. Undefined: it cannot play there. */
  readonly actorIn: (entry: PlayedEntry) => Actor | undefined;
}

/** Tasks of an evaluation. */
interface Tasks {
  readonly split: SplitName;
  readonly tasks: number | 'all';
  readonly attempts: number;
  /** As in `EvaluateOptions`. */
  readonly part?: number;
  readonly artifacts?: number;
}

/** The results of a run's final evaluation. */
export type FinalEvaluation = Pick<RunResult, 'evaluations' | 'baselines' | 'environments'>;

/**
 * The evaluations of a run. All evaluations of one split play the same tasks in the same worlds, so that differences
 * are paired.
 */
export class Evaluator {
  constructor(private readonly options: EvaluatorOptions) {}

  /** Evaluations of a stage during training; undefined if the recipe has none. */
  during(stage: string): StageEvaluation | undefined {
    const { every, split, tasks, episodesPerTask, temperatures } = this.options.plan.recipe.evaluation;
    if (every === 0) return undefined;
    return {
      every,
      evaluate: async (step) => {
        const all: Played[] = [];
        const own = { split, tasks, attempts: episodesPerTask };
        for (const temperature of temperatures) {
          all.push(...(await this.#playTraining(this.#policyAt(temperature), own)));
        }
        // All lines are written together: an interruption between two of them leaves no line that a resume would repeat.
        for (const played of all) this.#write(stage, step, played);
        return all.map(({ evaluation }) => evaluation.summary);
      },
    };
  }

  /** Evaluates the policy before a stage, on tasks of the final evaluation. Empty if the recipe wants none. */
  async start(stage: string): Promise<EvaluationSummary[]> {
    const { tasks, temperatures } = this.options.plan.before;
    if (tasks === 0) return [];
    this.#tell('evaluating the policy before reinforcement learning');
    const all: Played[] = [];
    const own = { ...this.#finalTasks, ...(tasks !== 'all' && { part: tasks }) };
    for (const way of this.#policyWays('start', temperatures)) {
      const played = await this.#playTraining(way, all.length === 0 ? this.#recorded(own) : own);
      for (const one of played) this.#write(stage, 0, one);
      all.push(...played);
    }
    this.#keepEpisodes(evaluationEpisodes.start, all);
    return all.map(({ evaluation }) => evaluation.summary);
  }

  /**
   * Makes the final evaluation at temperature 0 and the recipe's other temperatures, and plays the baselines. Then it
   * repeats both in each environment of `transfer`.
   */
  async finish(stage: string, step: number): Promise<FinalEvaluation> {
    this.#tell(evaluationActivities.final);
    const { entries, transfer, plan } = this.options;
    const { temperatures } = plan.recipe.evaluation.final;
    const ways = this.#policyWays('policy', temperatures);
    const own: Played[] = [];
    const playOwn = async (way: Way) => {
      if (way.player !== 'policy') this.#tell(way.title);
      const tasks = own.length === 0 ? this.#recorded(this.#finalTasks) : this.#finalTasks;
      const played = await this.#playTraining(way, tasks);
      for (const one of played) this.#write(stage, step, one);
      own.push(...played);
    };
    for (const way of ways) await playOwn(way);
    this.#keepEpisodes(evaluationEpisodes.final, own);
    for (const way of baselineWays(entries)) await playOwn(way);

    const elsewhere: Played[] = [];
    const add = (played: Played, name: string) => {
      const one = called(played, name);
      this.#write(stage, step, one);
      elsewhere.push(one);
    };
    for (const other of plan.transfer) {
      const open = transfer.find(({ plan: { entry } }) => entry === other.entry);
      if (open === undefined) {
        const same = entries.length > 1 ? other.sameAs?.entry : undefined;
        for (const one of own) if (one.evaluation.summary.environment === same) add(one, other.entry);
        continue;
      }
      this.#tell(`${evaluationActivities.final} on ${other.entry}`);
      for (const way of [...ways, ...baselineWays([open])]) {
        if (way.player !== 'policy') this.#tell(way.title);
        const actor = way.actorIn(open);
        if (actor === undefined) continue;
        const evaluation = await this.#play(way.title, actor, open, this.#finalTasks);
        add({ player: way.player, evaluation }, other.entry);
      }
    }
    return { ...resultOf(own, undefined), ...this.#environments([...own, ...elsewhere]) };
  }

  /** Results of each environment that has a name. */
  #environments(all: readonly Played[]): Pick<FinalEvaluation, 'environments'> {
    const { entries, plan } = this.options;
    const trained = entries.map((one) => one.plan.entry);
    const names = [...(entries.length > 1 ? trained : []), ...plan.transfer.map(({ entry }) => entry)];
    if (names.length === 0) return {};
    const results = names.flatMap((name): [string, EnvironmentResult][] =>
      name === undefined ? [] : [[name, { trained: trained.includes(name), ...resultOf(all, name) }]],
    );
    return { environments: Object.fromEntries(results) };
  }

  /** The policy at temperature 0 and at these. */
  #policyWays(player: string, temperatures: readonly number[]): Way[] {
    return [...new Set([0, ...temperatures])].map((temperature) => ({ ...this.#policyAt(temperature), player }));
  }

  #policyAt(temperature: number): Way {
    return {
      player: 'policy',
      title: `evaluation at temperature ${temperature}`,
      actorIn: ({ actor }) => ({ ...actor, sampling: { ...actor.sampling, temperature, exact: true } }),
    };
  }

  get #finalTasks(): Tasks {
    const { split, tasks, episodesPerTask } = this.options.plan.recipe.evaluation.final;
    return { split, tasks, attempts: episodesPerTask };
  }

  /** Plays in every environment of training. Several are also summed up together, which comes first. */
  async #playTraining(way: Way, tasks: Tasks): Promise<Played[]> {
    const { entries, plan, random } = this.options;
    const all: Played[] = [];
    for (const entry of entries) {
      const actor = way.actorIn(entry);
      if (actor === undefined) continue;
      const evaluation = await this.#play(way.title, actor, entry, tasks);
      all.push(called({ player: way.player, evaluation }, entries.length > 1 ? entry.plan.entry : undefined));
    }
    // A mean over some of the environments would be no result of the run.
    if (entries.length === 1 || all.length < entries.length) return all;
    const own = evaluationRandom(plan.recipe, random);
    const evaluations = all.map(({ evaluation }) => evaluation);
    return [{ player: way.player, evaluation: evaluateTogether(evaluations, tasks.attempts, own) }, ...all];
  }

  #play(
    title: string,
    actor: Actor,
    { environment, plan: entry, reward }: PlayedEntry,
    tasks: Tasks,
  ): Promise<Evaluation> {
    const { plan, random, signal, trainedClusters } = this.options;
    const { artifacts } = tasks;
    const ticker = tickEpisodes((line) => this.#tell(line), secondsBetweenLines);
    ticker.begin(actor.kind === 'model' ? title : 'baseline');
    return evaluate(actor, {
      ...(this.#sharesClusters(environment) && { trainedClusters: trainedClusters()?.get(environment.name) }),
      part: tasks.part,
      ...(artifacts !== undefined && { artifacts }),
      progress: (counts) => ticker.take(counts),
      split: tasks.split,
      tasks: tasks.tasks === 'all' ? Infinity : tasks.tasks,
      attempts: tasks.attempts,
      entry: entry.entry,
      environments: environment.pool,
      reward,
      horizon: entry.evaluationHorizon,
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
    const own = this.options.entries.filter(({ environment }) => environment.name === name);
    return own.length > 0 && (world.sharesClusters || own.some(({ environment }) => environment.world.sharesClusters));
  }

  #write(stage: string, step: number, { player, evaluation: { summary, outcomes } }: Played): void {
    this.options.journal.evaluation({ stage, step, player, evaluation: summary, outcomes });
  }

  /** Number of episodes of each environment that are kept. */
  get #most(): number {
    const { entries, plan } = this.options;
    return Math.ceil(plan.recipe.record.episodes / entries.length);
  }

  /** The same tasks, where episodes are kept, with their artifacts. */
  #recorded(tasks: Tasks): Tasks {
    return { ...tasks, artifacts: this.#most };
  }

  /** Keeps episodes of the first evaluation of each environment, which is at temperature 0. */
  #keepEpisodes(name: string, all: readonly Played[]): void {
    const { entries, journal } = this.options;
    const kept = entries.flatMap(({ plan: { entry } }) => {
      const name = entries.length > 1 ? entry : undefined;
      const own = all.find(({ evaluation: { summary } }) => summary.environment === name);
      return own?.evaluation.episodes.slice(0, this.#most) ?? [];
    });
    journal.episodes(name, 0, showPieces(kept, entries[0].actor.model.encoder));
  }

  #tell(message: string): void {
    this.options.journal.event({ type: 'activity', message });
  }
}

/** The random player, and every expert of any of these environments. */
function baselineWays(entries: readonly PlayedEntry[]): Way[] {
  const all = entries.map(({ environment }) => baselinePlayers(environment));
  const names = [...new Set(all.flat().map(({ player }) => player))];
  return names.map((player) => ({
    player,
    title: `${evaluationActivities.baseline} ${player}`,
    actorIn: ({ environment }) => baselinePlayers(environment).find((one) => one.player === player),
  }));
}

/** @param environment undefined: all together, or the only one */
function resultOf(all: readonly Played[], environment: string | undefined): Omit<EnvironmentResult, 'trained'> {
  const own = all.filter(({ evaluation }) => evaluation.summary.environment === environment);
  const baselines = own.filter(({ player }) => player !== 'policy');
  return {
    evaluations: own.filter(({ player }) => player === 'policy').map(({ evaluation }) => evaluation.summary),
    baselines: Object.fromEntries(baselines.map(({ player, evaluation }) => [player, evaluation.summary])),
  };
}

/** An evaluation of an environment with this name in the recipe. Undefined: it is the only one. */
function called({ player, evaluation }: Played, environment: string | undefined): Played {
  if (environment === undefined) return { player, evaluation };
  return { player, evaluation: { ...evaluation, summary: { ...evaluation.summary, environment } } };
}
