import type { RunPlan } from '../config/run-plan.js';
import { readEpisodes } from '../demonstrations/read-episodes.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { writeDemonstration, type WrittenDemonstration } from '../rollout/write-demonstration.js';
import { checkKept, keepEpisodes, keptName, keptPath, type StageRecord } from '../runs/kept-demonstrations.js';
import { ExpertGames } from './expert-games.js';
import { expertHeader } from './play-expert.js';
import {
  type DemonstrationContext,
  type EntryStage,
  factsOf,
  noFacts,
  type StageDemonstrations,
  writingIn,
} from './stage-demonstrations.js';

/** Games that a run has stored. */
interface StoredGames {
  readonly file: string;
  readonly record: StageRecord['training'];
}

/** The games of a stage's expert. They are played once, and kept in the run's folder. */
export class ExpertDemonstrations implements StageDemonstrations {
  #games: ExpertGames;
  #stored: StoredGames | undefined;
  readonly name: string;
  facts = noFacts;
  /** Number of demonstrations that built a tokenizer; undefined if none was built. */
  #corpus: number | undefined;

  constructor(
    private readonly plan: RunPlan,
    private readonly own: EntryStage,
    private readonly context: DemonstrationContext,
  ) {
    this.name = keptName(own.name, own.demonstrations.entry);
    this.#games = new ExpertGames(plan, own, context);
  }

  /**
   * Takes the stored games of a run instead of playing.
   *
   * @throws AG_RUN_DAMAGED, or AG_DEMONSTRATION if the action format cannot write them
   */
  async restore(run: string, record: StageRecord['training']): Promise<void> {
    const file = keptPath(run, this.name, 'training');
    await checkKept(file, record);
    this.#stored = { file, record };
    this.facts = await factsOf(this.learned(), record.bought);
  }

  /**
   * Plays games to learn from. A larger count begins with the same ones.
   *
   * @throws AG_DEMONSTRATION if no game is left, or if the action format cannot write one
   */
  async prepare(count: number): Promise<void> {
    // The games that build a tokenizer may be fewer, and are played first.
    if (count > this.own.demonstrations.countUnpaid) await this.#games.play(this.own.demonstrations.countUnpaid);
    const { episodes, played } = await this.#games.play(count);
    this.facts = { ...noFacts, learned: episodes };
    this.facts = await factsOf(this.learned(), played);
  }

  learned(): AsyncIterable<WrittenDemonstration> {
    return this.#first(this.#stored?.record.learned ?? this.facts.learned);
  }

  async *corpus(): AsyncIterable<WrittenDemonstration> {
    if (this.#stored === undefined) {
      this.#corpus = (await this.#games.play(this.own.demonstrations.countUnpaid)).episodes;
      yield* this.#first(this.#corpus);
    } else {
      const { corpus, learned } = this.#stored.record;
      yield* this.#first(corpus ?? learned);
    }
  }

  async keep(run: string): Promise<StageRecord['training']> {
    if (this.#stored !== undefined) return this.#stored.record;
    const file = keptPath(run, this.name, 'training');
    const header = expertHeader(this.plan, this.own, this.context, 'train');
    const kept = await keepEpisodes(run, file, header, this.#games.episodes);
    const { tasks, learned, bought, withoutTask } = this.facts;
    const corpus = this.#corpus;
    const counts = { learned, corpus, bought, tasks: tasks.size, withoutTask };
    this.#stored = { file, record: { ...kept, ...counts } };
    this.#games = new ExpertGames(this.plan, this.own, this.context);
    return this.#stored.record;
  }

  /** The first demonstrations, as the policy writes them. */
  async *#first(count: number): AsyncGenerator<WrittenDemonstration> {
    const policy = writingIn(this.context, this.context.environment.world.instructions);
    let written = 0;
    if (count === 0) return;
    for await (const { episode, place } of this.#source()) {
      yield writeDemonstration(episode, policy, place);
      written += 1;
      if (written === count) return;
    }
  }

  async *#source(): AsyncGenerator<{ readonly episode: DemonstratedEpisode; readonly place: string }> {
    if (this.#stored !== undefined) yield* readEpisodes(this.#stored.file, 'agentgym');
    else for (const episode of this.#games.episodes) yield { episode, place: `the game of task "${episode.task}"` };
  }
}
