import type { GameAction } from '../game/action-table.js';
import type { Game } from '../game/game.js';
import type { GameState } from '../game/game-state.js';
import type { QuestProgress } from '../game/quest-progress.js';
import type { Compat } from './compat.js';
import { finalQuestion } from './fixed-replies.js';
import { Position } from './position.js';
import type { Refusal } from './refusal.js';
import { type Reply, SessionReply } from './session-reply.js';
import { SessionTurn } from './session-turn.js';
import type { Story } from './story.js';
import { storyOf } from './story-of.js';
import { roomText } from './surroundings.js';

export type { Reply } from './session-reply.js';

/** What `Session.snapshot` returns: the commands so far. Games have no chance, so they lead to the same point. */
export interface SessionSnapshot {
  readonly commands: readonly string[];
}

/** More commands that a snapshot may have. */
const mostCommands = 100_000;
const longestCommand = 1000;

/** A game of TextWorld in text: commands in, replies out. Any text is a command; none throws. */
export class Session {
  readonly #story: Story;
  #now: Position;
  /** The last action that the last command did. */
  #action: GameAction | undefined;
  #commands: string[] = [];

  /** Throws `StoryTextError` if a text of the game is one that no compiled game could have. */
  constructor(game: Game, { compat }: { readonly compat: Compat } = { compat: 'corrected' }) {
    this.#story = storyOf(game, compat);
    this.#now = Position.start(this.#story);
  }

  /** The facts of the game; only this session changes them. */
  get state(): GameState {
    return this.#now.state;
  }

  /** How far the quests have come; only this session changes it. */
  get progress(): QuestProgress {
    return this.#now.progress;
  }

  /** What is known at this point, without the text of the last reply. */
  get reply(): Reply {
    return this.#reply('', 0, undefined);
  }

  /** Begins the game, or begins it anew. The text is the objective and the first room. */
  start(): Reply {
    this.restart();
    const room = roomText(this.#story, this.#now.world);
    const text = this.#story.objective === '' ? room : `${this.#story.objective}\n\n${room}`;
    return this.#reply(text, 0, undefined);
  }

  /** Like `start`, for those who know the text already. */
  restart(): Reply {
    if (this.#commands.length > 0) {
      this.#now = Position.start(this.#story);
      this.#action = undefined;
      this.#commands = [];
    }
    return this.reply;
  }

  /** Does what the command says, if it is understood and possible. */
  act(command: string): Reply {
    const given = command.slice(0, longestCommand);
    this.#commands.push(given);
    this.#action = undefined;
    if (this.#now.score.isOver) return this.#overReply();
    const turn = new SessionTurn(this.#now);
    const refusal = turn.act(given);
    this.#action = turn.action;
    return this.#reply(turn.text, turn.reward(), refusal);
  }

  snapshot(): SessionSnapshot {
    return { commands: [...this.#commands] };
  }

  /** Goes to the point of a snapshot of a session of the same game, by playing its commands. */
  restore(snapshot: SessionSnapshot): void {
    const { commands } = snapshot;
    if (
      !Array.isArray(commands) ||
      commands.length > mostCommands ||
      commands.some((each) => typeof each !== 'string')
    ) {
      throw new Error('a snapshot of a session is a list of commands');
    }
    this.start();
    for (const command of commands) this.act(command as string);
  }

  /**
   * Equal for two points of a game exactly if they have the same future. What `it`, `again` and `oops` refer to does not
   * count, nor does the plan that intermediate rewards follow. Where replies tell the number of turns, it counts.
   */
  key(): string {
    return this.#now.key();
  }

  #overReply(): Reply {
    if (this.#story.corrections.endsWithoutQuestion) return this.#reply('The game is over.', 0, 'over');
    return this.#reply(`Please give one of the answers above.\n\n${finalQuestion}`, 0, 'over');
  }

  #reply(text: string, reward: number, refusal: Refusal | undefined): Reply {
    const { state, score, moves, told } = this.#now;
    return new SessionReply(this.#story, told, {
      text,
      action: this.#action,
      maximumScore: this.#story.maximumScore,
      won: score.won,
      lost: score.lost,
      reward,
      admissible: state.admissible(),
      turns: score.turns,
      moves,
      refusal,
    });
  }
}
