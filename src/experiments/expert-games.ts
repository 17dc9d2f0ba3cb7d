import type { RunPlan } from '../config/run-plan.js';
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
  readonly #episodes: DemonstratedEpisode[] = [];
  readonly #first = new Map<number, FirstGames>([[0, { episodes: 0, played: 0 }]]);
  #games = 0;
  #played = 0;

  constructor(
    private readonly plan: RunPlan,
    private readonly stage: EntryStage,
    private readonly context: DemonstrationContext,
  ) {}

  /** The demonstrations so far, in the order of play. */
  get episodes(): readonly DemonstratedEpisode[] {
    return this.#episodes;
  }

  /** Plays until there are this many games. A smaller number must have been asked for before a larger one. */
  async play(games: number): Promise<FirstGames> {
    const known = this.#first.get(games);
    if (known !== undefined) return known;
    if (games < this.#games) throw new Error(`${games} games were not asked for before ${this.#games}`);
    const { episodes, outcomes } = await playExpert(this.plan, this.stage, this.context, {
      split: 'train',
      stream: ['demonstrations', this.stage.name],
      first: this.#games,
      count: games - this.#games,
    });
    for (const episode of episodes) this.#episodes.push(episode);
    this.#games = games;
    this.#played += outcomes.filter((outcome) => outcome !== 'failed').length;
    if (this.#episodes.length === 0) {
      const hint = 'Remove `successOnly`, or choose another expert.';
      throw noDemonstrations(this.stage.name, 'no game of the expert succeeded', hint);
    }
    const first = { episodes: this.#episodes.length, played: this.#played };
    this.#first.set(games, first);
    return first;
  }
}
