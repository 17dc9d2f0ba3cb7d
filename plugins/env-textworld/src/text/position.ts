import { GameState } from '../game/game-state.js';
import { QuestProgress } from '../game/quest-progress.js';
import type { Situation } from './deed-context.js';
import { CommandParser } from './parse-command.js';
import type { Told } from './session-reply.js';
import type { Story } from './story.js';
import { player } from './story-object.js';
import { StoryScore } from './story-score.js';
import type { StoryWorld } from './story-world.js';
import { Tracker } from './tracker.js';

/** Where a game stands between two commands: the facts of its rules, the world of its story, and what was told. */
export class Position {
  brief: Situation['brief'] = 'never';
  /** Actions of the game's rules that were done so far. */
  moves = 0;
  /** A command that raised a question, and the answers so far. */
  pending: { readonly command: string; readonly answers: readonly string[] } | undefined;
  told: Told;
  readonly tracker: Tracker;
  readonly parser: CommandParser;

  private constructor(
    readonly story: Story,
    readonly state: GameState,
    readonly progress: QuestProgress,
    readonly world: StoryWorld,
    readonly score: StoryScore,
  ) {
    this.tracker = new Tracker(story, state);
    this.parser = new CommandParser(story, world);
    this.told = { world: story.start, brief: this.brief, score: score.points };
  }

  /** Before the first command. */
  static start(story: Story): Position {
    const { game, start } = story;
    const world = start.copy();
    const score = StoryScore.start(story, world);
    const position = new Position(story, GameState.start(game), QuestProgress.start(game), world, score);
    position.lookAround();
    return position;
  }

  /** See `Session.key`. */
  key(): string {
    // The player and the doors move to the front of each room that the player enters, and no reply tells their order.
    const unordered = [player, ...this.story.doors];
    // The first key always has the same length, and the second one tells its own.
    const world = this.world.key(unordered, this.brief === 'never');
    const pending = this.pending === undefined ? '' : JSON.stringify(this.pending);
    const rest = `${this.progress.key()} ${this.score.key()} ${this.brief}`;
    return `${world}${this.state.factsKey()}${rest} ${pending}`;
  }

  /** Notes what the texts of replies are made of from now on. */
  remember(): void {
    const { world, brief } = this;
    const score = this.score.points;
    if (!world.isChanged && score === this.told.score && brief === this.told.brief) return;
    const seen = world.isChanged ? world.copy() : this.told.world;
    world.isChanged = false;
    this.told = { world: seen, brief, score };
  }

  /** The original's environment looks around after each turn, and then `it` is the last thing of the room. */
  lookAround(): void {
    if (this.story.corrections.keepsPronouns) return;
    const { world } = this;
    let last = 0;
    for (let object = world.child(world.parent(player)); object !== 0; object = world.sibling(object)) {
      if (object !== player) last = object;
    }
    if (last !== 0) this.parser.notice(last);
  }
}
