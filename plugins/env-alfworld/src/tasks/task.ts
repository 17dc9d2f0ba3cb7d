import type { SplitName, TaskFacts, TaskSource } from '@agentgym/cli';

import type { Game } from '../game/game.js';

/** A task that can be played. */
export interface Task {
  readonly id: string;
  readonly game: Game;
}

/** All tasks of the options. */
export interface TaskBook {
  readonly splits: { readonly [name in SplitName]: TaskSource };
  readonly sharesClusters: boolean;
  /** Throws if the id is not one of these tasks; so does `read`. */
  readonly about: (id: string) => TaskFacts;
  read(id: string): Task;
}
