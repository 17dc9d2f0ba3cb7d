import type { Json } from '@agentgym/cli';

import type { Adventure, Remaining, AdventureTurn } from './adventure.js';
import type { GameAction } from './game/action-table.js';
import type { Game } from './game/game.js';
import { planActions } from './game/plan-actions.js';
import type { Reply } from './text/session-reply.js';
import { Session, type SessionSnapshot } from './text/session.js';
import type { Compat } from './text/compat.js';

/** A game played by the engine of this package. */
export class NativeAdventure implements Adventure {
  readonly objective: string;
  readonly maximumScore: number;
  readonly #session: Session;
  #reply: Reply;
  /** Actions that win from here, once they were asked for; planning may take a search. */
  #plan: readonly GameAction[] | undefined;

  constructor(game: Game, compat: Compat) {
    this.#session = new Session(game, { compat });
    this.#reply = this.#session.reply;
    this.objective = game.objective;
    this.maximumScore = game.maximumScore;
  }

  start(): string {
    this.#reply = this.#session.restart();
    this.#plan = undefined;
    return this.#reply.description;
  }

  act(command: string): AdventureTurn {
    const before = this.#reply.moves;
    this.#reply = this.#session.act(command);
    const { text, score, won, lost, reward, refusal, action, moves } = this.#reply;
    if (moves !== before) this.#plan = action === this.#plan?.[0] ? this.#plan?.slice(1) : undefined;
    return { text, score, won, lost, reward, ...(refusal !== undefined && { refused: refusal }) };
  }

  surroundings(): readonly string[] {
    return [this.#reply.description, this.#reply.inventory];
  }

  admissible(): readonly string[] {
    return this.#reply.admissible;
  }

  remaining(): Remaining | undefined {
    return this.#session.progress.remaining();
  }

  nextCommand(): string | undefined {
    this.#plan ??= planActions(this.#session.state, this.#session.progress) ?? [];
    return this.#plan[0]?.text?.text;
  }

  key(): string {
    return this.#session.key();
  }

  snapshot(): Json {
    return this.#session.snapshot() as unknown as Json;
  }

  restore(state: Json): void {
    this.#session.restore(state as unknown as SessionSnapshot);
    this.#plan = undefined;
    this.#reply = this.#session.reply;
  }
}
