import type { Json } from '@agentgym/cli';

import type { GeneratedLevel } from '../levels/generate-level.js';
import type { Options } from '../options.js';
import { AgentGymSession } from '../text/agentgym-session.js';
import { View } from '../world/view.js';
import { worldKey } from '../world/world-key.js';
import type { Action, Outcome } from '../world/world-state.js';
import type { GridWorld } from '../world/world.js';
import type { LevelEpisode, LevelTurn } from './episode.js';

/** An episode in AgentGym's wrapper: its texts, its `score` as the reward, and its idea of an end. */
export class AgentGymEpisode implements LevelEpisode {
  readonly #session: AgentGymSession;
  #turns = 0;
  #isCut = false;
  #isDone = false;

  constructor(
    level: GeneratedLevel,
    readonly options: Pick<Options, 'maxTurns'>,
  ) {
    this.#session = new AgentGymSession(level);
  }

  get world(): GridWorld {
    return this.#session.world;
  }

  get moves(): readonly Action[] {
    return this.#session.moves;
  }

  get isOver(): boolean {
    return this.#isDone || this.#isCut;
  }

  get menu(): ReadonlyMap<string, readonly Action[]> {
    return this.#session.menu.actions;
  }

  start(): string {
    return this.#session.start().observation;
  }

  /** After the end the server answers with an error. */
  step(text: string): LevelTurn {
    if (this.isOver) {
      const observation = 'The task with environment 0 has finished.';
      return { observation, reward: 0, refused: 'over', ...this.#flags };
    }
    this.#turns += 1;
    const { observation, score, done } = this.#session.step(text);
    this.#isDone = done;
    this.#isCut = !done && this.options.maxTurns !== null && this.#turns >= this.options.maxTurns;
    const { refused } = this.#session;
    return { observation, reward: score, ...(refused !== undefined && { refused }), ...this.#flags };
  }

  /** Only what the last step brings counts, and only if it is early enough. */
  simulate(copy: GridWorld, moves: readonly Action[]): Outcome {
    const view = new View();
    view.look(copy.grid, copy);
    let outcome: Outcome;
    for (const move of moves) {
      outcome = copy.step(move);
      if (!view.look(copy.grid, copy)) break;
    }
    return outcome;
  }

  key(): string {
    const turns = this.options.maxTurns === null ? '' : this.#turns;
    return `${turns} ${this.isOver} ${this.#session.key()} ${worldKey(this.world)}`;
  }

  snapshot(): Json {
    return { session: this.#session.snapshot(), turns: this.#turns, isCut: this.#isCut, isDone: this.#isDone };
  }

  restore(state: Json): void {
    const saved = state as { session: Json; turns: number; isCut: boolean; isDone: boolean };
    this.#session.restore(saved.session);
    this.#turns = saved.turns;
    this.#isCut = saved.isCut;
    this.#isDone = saved.isDone;
  }

  get #flags() {
    return { success: this.#isDone, terminated: this.#isDone, truncated: this.#isCut };
  }
}
