import type { RunPlan } from '../config/run-plan.js';
import type { GameOutcome } from '../rollout/collect-demonstrations.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { playExpert } from './play-expert.js';
import { type DemonstrationContext, type EntryStage, noDemonstrations } from './stage-demonstrations.js';

/** The first games of an expert, up to a place in the order of play. */
interface FirstGames {
  /** Number of demonstrations among them. */
  readonly episodes: number;
  /** Number of completed games, including those that `successOnly` left out. */
  readonly played: number;
}

/** The games of a stage's expert on training tasks, each of which is played at most once. */
export class ExpertGames {
  /** The demonstrations so far, in the order of play. */
  readonly episodes: DemonstratedEpisode[] = [];
  /** What became of each game so far. */
  readonly #outcomes: GameOutcome[] = [];

  constructor(
    private readonly plan: RunPlan,
    private readonly stage: EntryStage,
    private readonly context: DemonstrationContext,
  ) {}

  /** Plays until there are this many games. */
  async play(games: number): Promise<FirstGames> {
    const first = this.#outcomes.length;
    if (games > first) {
      const stream = ['demonstrations', this.stage.name] as const;
      const wanted = { split: 'train', stream, first, count: games - first } as const;
      const { episodes, outcomes } = await playExpert(this.plan, this.stage, this.context, wanted);
      for (const episode of episodes) this.episodes.push(episode);
      for (const outcome of outcomes) this.#outcomes.push(outcome);
      if (this.episodes.length === 0) {
        const hint = 'Remove `successOnly`, or choose another expert.';
        throw noDemonstrations(this.stage.name, 'no game of the expert succeeded', hint);
      }
    }
    const completed = this.#outcomes.slice(0, games).filter((outcome) => outcome !== 'failed');
    return { episodes: completed.filter((outcome) => outcome === 'kept').length, played: completed.length };
  }
}
