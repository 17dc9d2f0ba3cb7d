import type { Game } from '../game/game.js';

/** A task that can be played. */
export interface Task {
  readonly id: string;
  readonly game: Game;
}
