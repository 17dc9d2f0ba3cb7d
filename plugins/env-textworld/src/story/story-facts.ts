import type { GameAction } from '../game/action-table.js';
import type { Game } from '../game/game.js';
import { GameState } from '../game/game-state.js';
import { planActions } from '../game/plan-actions.js';
import { QuestProgress } from '../game/quest-progress.js';
import type { Action } from '../logic/logic.js';

/**
 * The facts of a game, kept by following what its story says was done. See `StateTracking` in
 * `textworld/envs/wrappers/tw_inform7.py` and `detect_action` in `generator/inform7/world2inform7.py`.
 */
export class StoryFacts {
  readonly #game: Game;
  readonly #state: GameState;
  readonly #progress: QuestProgress;
  /** What was done, in Inform's words. It leads from the start to the present facts. */
  readonly followed: string[] = [];

  constructor(game: Game) {
    this.#game = game;
    this.#state = GameState.start(game);
    this.#progress = QuestProgress.start(game);
  }

  /** Commands that are possible now. */
  get admissible(): readonly string[] {
    return this.#state.admissible();
  }

  /** Actions that win the game; undefined if that is not known. */
  get plan(): readonly Action[] | undefined {
    return this.#progress.winningPolicy();
  }

  /** The next command of a way to win; undefined if none is known. */
  get nextCommand(): string | undefined {
    return planActions(this.#state, this.#progress)?.[0]?.text?.text;
  }

  /** Equal for equal facts and equal progress. */
  get key(): string {
    return `${this.#state.key()} ${this.#progress.key()}`;
  }

  /** Takes account of what was done, in Inform's words. What means no possible action is passed over. */
  follow(done: string): void {
    const wanted = done.toLowerCase();
    let chosen: GameAction | undefined;
    // Of several, the original takes the first of those that need most facts.
    for (const action of this.#state.actions()) {
      if (chosen !== undefined && action.before.length <= chosen.before.length) continue;
      if (this.#words(action) === wanted) chosen = action;
    }
    if (chosen === undefined) return;
    this.followed.push(done);
    this.#state.apply(chosen);
    this.#progress.update(chosen, this.#state);
  }

  /** The action in Inform's words, in small letters; undefined if a story never says that it was done. */
  #words(action: GameAction): string | undefined {
    const { inform, rules } = this.#game.logic;
    const template = inform.events.get(action.rule);
    const placeholders = rules.get(action.rule)?.placeholders ?? [];
    return template
      ?.replace(/\{([^{}]*)\}/g, (written, name: string) => {
        const entity = action.entities[placeholders.findIndex((placeholder) => placeholder.name === name)];
        return entity === undefined ? written : (this.#game.infos.get(entity.id)?.name ?? 'None');
      })
      .toLowerCase();
  }
}
