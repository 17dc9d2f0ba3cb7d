import type { GameAction } from '../game/action-table.js';
import type { Game } from '../game/game.js';
import { GameState } from '../game/game-state.js';
import { QuestProgress } from '../game/quest-progress.js';
import type { Situation } from './deed-context.js';
import { tryDeed } from './deeds.js';
import { finalQuestion, helpText, modeReplies } from './fixed-replies.js';
import type { Deed } from './grammar.js';
import type { Misunderstanding, Order } from './order.js';
import { CommandParser } from './parse-command.js';
import { nameWithArticle } from './printed-names.js';
import type { Refusal } from './refusal.js';
import type { Compat } from './compat.js';
import type { Story } from './story.js';
import { storyOf } from './story-of.js';
import { moveDoors } from './story-map.js';
import { player } from './story-object.js';
import { StoryScore } from './story-score.js';
import { type Reply, SessionReply, type Told } from './session-reply.js';
import { roomText } from './surroundings.js';
import { Tracker } from './tracker.js';
import { setFact } from './world-facts.js';
import type { StoryWorld } from './story-world.js';

export type { Reply } from './session-reply.js';

/** What `Session.snapshot` returns: the commands so far. Games have no chance, so they lead to the same point. */
export interface SessionSnapshot {
  readonly commands: readonly string[];
}

/** More commands that a snapshot may have. */
const mostCommands = 100_000;
const longestCommand = 1000;
/** Questions that answers of the same command may raise. */
const mostAnswers = 8;

/** A game of TextWorld in text: commands in, replies out. Any text is a command; none throws. */
export class Session {
  readonly #story: Story;
  readonly #compat: Compat;
  #state: GameState;
  #progress: QuestProgress;
  #tracker: Tracker;
  #parser: CommandParser;
  #world: StoryWorld;
  #score: StoryScore;
  #brief: Situation['brief'] = 'never';
  #moves = 0;
  /** A command that raised a question, and the answers so far. */
  #pending: { readonly command: string; readonly answers: readonly string[] } | undefined;
  #commands: string[] = [];

  // Of the command that is under way.
  #lines = '';
  #prefix = '';
  #action: GameAction | undefined;
  #tracked = 0;
  /** Actions that were left to do before a command that does several things. */
  #planned: number | undefined;
  #allowed: GameAction | undefined;
  #told: Told;

  /** Throws `StoryTextError` if a text of the game is one that no compiled game could have. */
  constructor(game: Game, { compat }: { readonly compat: Compat } = { compat: 'corrected' }) {
    this.#story = storyOf(game, compat);
    this.#compat = compat;
    this.#world = this.#story.start.copy();
    this.#state = GameState.start(game);
    this.#progress = QuestProgress.start(game);
    this.#tracker = new Tracker(this.#story, this.#state);
    this.#parser = new CommandParser(this.#story, this.#world);
    this.#score = StoryScore.start(this.#story, this.#world);
    this.#told = this.#begin();
  }

  get objective(): string {
    return this.#story.objective;
  }

  get maximumScore(): number {
    return this.#story.maximumScore;
  }

  /** The facts of the game; only this session changes them. */
  get state(): GameState {
    return this.#state;
  }

  /** How far the quests have come; only this session changes it. */
  get progress(): QuestProgress {
    return this.#progress;
  }

  /** What is known at this point, without the text of the last reply. */
  get reply(): Reply {
    return this.#reply('', 0, undefined);
  }

  /** Begins the game, or begins it anew. The text is the objective and the first room. */
  start(): Reply {
    this.restart();
    const room = roomText(this.#story, this.#world);
    const text = this.#story.objective === '' ? room : `${this.#story.objective}\n\n${room}`;
    return this.#reply(text, 0, undefined);
  }

  /** Like `start`, for those who know the text already. */
  restart(): Reply {
    if (this.#commands.length > 0) this.#reset();
    return this.reply;
  }

  /** Does what the command says, if it is understood and possible. */
  act(command: string): Reply {
    const given = command.slice(0, longestCommand);
    this.#commands.push(given);
    this.#lines = '';
    this.#prefix = '';
    this.#action = undefined;
    if (this.#score.isOver) return this.#overReply();
    this.#tracked = 0;
    this.#planned = undefined;
    const refusal = this.#actOn(given);
    return this.#reply(this.#lines, this.#reward(), refusal);
  }

  /** A session of its own at the same point. */
  copy(): Session {
    const copy = new Session(this.#story.game, { compat: this.#compat });
    copy.#state = this.#state.copy();
    copy.#progress = this.#progress.copy();
    copy.#tracker = new Tracker(this.#story, copy.#state);
    const { memory } = this.#parser;
    copy.#parser.memory = { ...memory, pronouns: [...memory.pronouns] };
    copy.#world = this.#world.copy();
    copy.#score = this.#score.copy();
    copy.#brief = this.#brief;
    copy.#moves = this.#moves;
    copy.#pending = this.#pending;
    copy.#commands = [...this.#commands];
    copy.#told = this.#told;
    return copy;
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
    // The player and the doors move to the front of each room that the player enters, and no reply tells their order.
    const unordered = [player, ...this.#story.doors];
    // The first key always has the same length, and the second one tells its own.
    const world = this.#world.key(unordered, this.#brief === 'never');
    const pending = this.#pending === undefined ? '' : JSON.stringify(this.#pending);
    const rest = `${this.#progress.key()} ${this.#score.key()} ${this.#brief}`;
    return `${world}${this.#state.factsKey()}${rest} ${pending}`;
  }

  // --- A command ---

  #reset(): void {
    const { game, start } = this.#story;
    this.#world = start.copy();
    this.#state = GameState.start(game);
    this.#progress = QuestProgress.start(game);
    this.#tracker = new Tracker(this.#story, this.#state);
    this.#parser = new CommandParser(this.#story, this.#world);
    this.#score = StoryScore.start(this.#story, this.#world);
    this.#brief = 'never';
    this.#moves = 0;
    this.#pending = undefined;
    this.#commands = [];
    this.#action = undefined;
    this.#told = this.#begin();
  }

  /** What happens before the first command. */
  #begin(): Told {
    this.#lookAround();
    return { world: this.#story.start, brief: this.#brief, score: this.#score.points };
  }

  #actOn(command: string): Refusal | undefined {
    const { corrections } = this.#story;
    if (corrections.understandsAdmissible) {
      const action = this.#admissibleAction(command);
      if (action !== undefined) {
        this.#pending = undefined;
        return this.#doAction(action, command);
      }
    }
    const pending = this.#pending;
    this.#pending = undefined;
    const isBlank = command.trim() === '';
    if (pending !== undefined && isBlank) this.#pending = pending;
    const answers = pending === undefined || isBlank ? [] : [...pending.answers, command];
    let text = pending === undefined || isBlank ? command : pending.command;
    let first: Refusal | undefined;
    for (let count = 0; ; count++) {
      const result = this.#parser.parse(text, this.#world, count === 0 ? answers : []);
      if (result.kind !== 'order') return this.#misunderstand(result, text, count === 0 ? answers : []) ?? first;
      if (count === 0 && (result.many !== undefined || result.rest !== undefined)) this.#planned = this.#planLength();
      const refusal = this.#doOrder(result, text);
      if (count === 0) first = refusal;
      if (result.rest === undefined || this.#score.isOver) return count === 0 ? refusal : (refusal ?? first);
      text = result.rest;
    }
  }

  #misunderstand(result: Misunderstanding, command: string, answers: readonly string[]): Refusal {
    if (result.kind === 'question' && answers.length < mostAnswers) this.#pending = { command, answers };
    this.#say(result.text);
    return result.refusal;
  }

  /** The possible action that prints exactly this command; of several, the one that needs most. */
  #admissibleAction(command: string): GameAction | undefined {
    const known = this.#state.actionFor(command);
    if (known !== undefined) return known;
    const folded = command.trim().replace(/\s+/g, ' ');
    return this.#state.actionFor(folded) ?? this.#state.actionFor(folded.toLowerCase());
  }

  /** Does an action of the rules, in the words of the story where it has some. */
  #doAction(action: GameAction, command: string): Refusal | undefined {
    const deed = this.#tracker.deedOf(action);
    this.#parser.memory.last = command;
    this.#parser.memory.mistake = 0;
    if (deed !== null) {
      if (deed.noun > 0) this.#parser.notice(deed.noun);
      const isDone = tryDeed(this.#story, this.#situation(command, false), deed.deed, deed.noun, deed.second);
      this.#endTurn();
      return isDone ? undefined : 'not possible';
    }
    const { facts } = this.#state.table.facts;
    if (this.#track(action)) {
      for (const fact of action.removes) setFact(this.#story, this.#world, facts[fact]!, false);
      for (const fact of action.adds) setFact(this.#story, this.#world, facts[fact]!, true);
      moveDoors(this.#world, this.#story.objects, this.#story.doors);
    }
    this.#say('Done.');
    this.#endTurn();
    return undefined;
  }

  #doOrder(order: Order, command: string): Refusal | undefined {
    const { deed, noun, second, many, manyIs, guessed } = order;
    if (guessed !== undefined) this.#say(guessed);
    const reply = this.#outOfWorld(deed);
    if (reply !== undefined) {
      this.#say(reply);
      return deed === 'unavailable' ? 'not possible' : undefined;
    }
    let isDone = false;
    if (deed === 'help' || deed === 'objective') {
      this.#say(deed === 'help' ? helpText : this.#story.objective);
      isDone = true;
    } else if (many === undefined) {
      isDone = tryDeed(this.#story, this.#situation(command, false), deed, noun, second);
    } else {
      if (many.length === 0) this.#say('Nothing to do!');
      const situation = this.#situation(command, true);
      for (const item of many) {
        this.#prefix = `${nameWithArticle(this.#story, this.#world, item, 'none', false)}: `;
        this.#parser.notice(item);
        const nouns = manyIs === 'noun' ? ([item, second] as const) : ([noun, item] as const);
        if (tryDeed(this.#story, situation, deed, ...nouns)) isDone = true;
        this.#prefix = '';
      }
    }
    this.#endTurn();
    return isDone ? undefined : 'not possible';
  }

  #situation(command: string, isOneOfMany: boolean): Situation {
    return {
      world: this.#world,
      command: command.toLowerCase(),
      isOneOfMany,
      brief: this.#brief,
      allow: (deed, noun, second) => this.#allow(deed, noun, second),
      notice: (object) => this.#parser.notice(object),
      say: (text) => this.#say(text),
      done: (deed, noun, second) => this.#noteDone(deed, noun, second),
    };
  }

  /** Finds the action of the rules for what is about to happen. */
  #allow(deed: Deed, noun: number, second: number): string | undefined {
    const { changesByRulesOnly, tracksEverything } = this.#story.corrections;
    if (!tracksEverything) return undefined;
    this.#allowed = this.#tracker.find(deed, noun, second) ?? this.#otherAction(deed, noun);
    return this.#allowed === undefined && changesByRulesOnly ? "You can't do that." : undefined;
  }

  /** The action for a deed that says less than the rules do. */
  #otherAction(deed: Deed, noun: number): GameAction | undefined {
    const { objects } = this.#story;
    if (deed === 'take') return this.#tracker.find('remove', noun, this.#world.parent(noun));
    if (deed !== 'go') return undefined;
    const direction = objects[this.#world.parent(player)]?.exits.indexOf(noun) ?? -1;
    return direction === -1 ? undefined : this.#tracker.find('go', direction + 1, 0);
  }

  #noteDone(deed: Deed, noun: number, second: number): void {
    const allowed = this.#allowed;
    this.#allowed = undefined;
    if (this.#story.corrections.tracksEverything) {
      const action = allowed ?? this.#tracker.find(deed, noun, second);
      if (action !== undefined) this.#track(action);
      return;
    }
    const action = this.#tracker.recognise(this.#world, deed, noun, second);
    if (action !== undefined) this.#track(action);
  }

  #track(action: GameAction): boolean {
    if (!this.#state.apply(action)) return false;
    this.#action = action;
    this.#tracked++;
    this.#moves++;
    this.#progress.update(action, this.#state);
    return true;
  }

  #say(text: string): void {
    const line = this.#prefix + text;
    this.#prefix = '';
    if (this.#lines !== '') this.#lines += '\n';
    this.#lines += line;
  }

  // --- The end of a turn ---

  #endTurn(): void {
    const isLost = this.#score.follow(this.#world);
    if (!isLost) this.#lookAround();
    if (!isLost || this.#story.corrections.tellsAfterLoss) this.#remember();
    this.#lines += this.#score.endTurn();
  }

  #remember(): void {
    const score = this.#score.points;
    if (!this.#world.isChanged && score === this.#told.score && this.#brief === this.#told.brief) return;
    const world = this.#world.isChanged ? this.#world.copy() : this.#told.world;
    this.#world.isChanged = false;
    this.#told = { world, brief: this.#brief, score };
  }

  /** The original's environment looks around after each turn, and then `it` is the last thing of the room. */
  #lookAround(): void {
    if (this.#story.corrections.keepsPronouns) return;
    const world = this.#world;
    let last = 0;
    for (let object = world.child(world.parent(player)); object !== 0; object = world.sibling(object)) {
      if (object !== player) last = object;
    }
    if (last !== 0) this.#parser.notice(last);
  }

  // --- Replies ---

  /** The reply to a deed that takes no turn. */
  #outOfWorld(deed: Deed): string | undefined {
    if (deed === 'score') return `You have so far scored ${this.#score.text()}`;
    if (deed === 'pronouns') return this.#pronounsText();
    if (deed === 'modeBrief') this.#brief = 'again';
    if (deed === 'modeLong') this.#brief = 'never';
    if (deed === 'modeShort') this.#brief = 'always';
    return modeReplies[deed];
  }

  #pronounsText(): string {
    const [it = 0] = this.#parser.memory.pronouns;
    const meaning = it === 0 ? 'is unset' : `means ${nameWithArticle(this.#story, this.#world, it, 'the', false)}`;
    return `At the moment, "it" ${meaning}, "him" is unset, "her" is unset and "them" is unset.`;
  }

  #planLength(): number | undefined {
    return this.#progress.remaining()?.actions;
  }

  #reward(): number {
    if (this.#score.won) return 1;
    if (this.#score.lost) return -1;
    if (this.#tracked === 0) return 0;
    if (this.#tracked === 1) return this.#progress.done ? 0 : this.#progress.reward;
    const left = this.#planLength();
    return this.#planned === undefined || left === undefined ? 0 : Math.sign(this.#planned - left);
  }

  #overReply(): Reply {
    if (this.#story.corrections.endsWithoutQuestion) return this.#reply('The game is over.', 0, 'over');
    return this.#reply(`Please give one of the answers above.\n\n${finalQuestion}`, 0, 'over');
  }

  #reply(text: string, reward: number, refusal: Refusal | undefined): Reply {
    return new SessionReply(this.#story, this.#told, {
      text,
      action: this.#action,
      maximumScore: this.#story.maximumScore,
      won: this.#score.won,
      lost: this.#score.lost,
      reward,
      admissible: this.#state.admissible(),
      turns: this.#score.turns,
      moves: this.#moves,
      refusal,
    });
  }
}
