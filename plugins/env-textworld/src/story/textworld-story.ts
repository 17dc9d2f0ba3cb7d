import { createHash } from 'node:crypto';

import type { Json } from '@agentgym/cli';

import type { Adventure, Remaining, AdventureTurn } from '../adventure.js';
import type { Game } from '../game/game.js';
import type { Refusal } from '../text/refusal.js';
import { readTrace } from './action-trace.js';
import { StoryFacts } from './story-facts.js';
import { StoryError } from './story-error.js';
import type { StorySnapshot } from './story-snapshot.js';
import type { StoryFile, StoryGame, StoryLimits } from './story.js';

/** A command of TextWorld's stories: from now on, replies tell which actions were done. */
const traceActions = 'tw-trace-actions';
/** What stories print when they end. The first are those of TextWorld, the others of Inform. */
const wonBanners = ['*** The End ***', '*** You have won ***'];
const lostBanners = ['*** You lost! ***', '*** You have died ***'];

/** How the answers of Inform's parser begin. */
const misunderstandings: readonly (readonly [string, Refusal])[] = [
  ['I beg your pardon', 'empty'],
  ["That's not a verb", 'not a verb'],
  ["You can't see any such thing", 'not visible'],
  ['Which do you mean', 'ambiguous'],
  ['What do you want', 'incomplete'],
];

/** What `snapshot` returns. */
interface State {
  readonly story: StorySnapshot;
  readonly followed: readonly string[];
  readonly score: number;
  readonly over: boolean;
}

/** The start of a story, ready to be played. */
interface Beginning {
  readonly text: string;
  readonly snapshot: StorySnapshot;
}
const beginnings = new WeakMap<StoryFile, Beginning>();

/**
 * A real story of TextWorld in play. Texts, score and end come from the story. With the game of its `.json`, facts,
 * admissible commands and the plan are followed beside it, as the original does
 * (`textworld/envs/wrappers/tw_inform7.py`). Without it, there are none.
 */
export class TextworldStory implements Adventure {
  readonly #file: StoryFile;
  readonly #game: Game | undefined;
  readonly #story: StoryGame;
  #facts: StoryFacts | undefined;
  #restarts = 0;
  #score = 0;
  #over = false;
  #surroundings: readonly string[] | undefined;
  #maximumScore: number | undefined;

  constructor(file: StoryFile, game?: Game, limits: Partial<StoryLimits> = {}) {
    this.#file = file;
    this.#game = game;
    this.#story = file.open(limits);
    this.#maximumScore = game?.maximumScore;
  }

  get objective(): string {
    return this.#game?.objective ?? '';
  }

  /** Infinite if points can be earned again and again; 0 if it is not known. */
  get maximumScore(): number {
    if (this.#maximumScore === undefined) {
      const found = /out of a possible (-?\d+)/.exec(this.#ask('score').join());
      const maximum = Number(found?.[1] ?? 0);
      // The story's number for infinity is negative.
      this.#maximumScore = maximum < 0 ? Infinity : maximum;
    }
    return this.#maximumScore;
  }

  /**
   * With the game known, the text begins at the room: the title goes, and the objective has a place of its own. Throws
   * if the story breaks, or if it is not one of TextWorld.
   */
  start(): string {
    let beginning = this.#game && beginnings.get(this.#file);
    if (beginning !== undefined) this.#story.restore(beginning.snapshot);
    else {
      const text = this.#story.start();
      if (this.#game) this.#trace();
      if (this.#story.failure !== undefined) throw new StoryError(`the story cannot start: ${this.#story.failure}`);
      beginning = { text, snapshot: this.#story.snapshot() };
      if (this.#game) beginnings.set(this.#file, beginning);
    }
    this.#begin();
    this.#score = this.#readScore(beginning.text) ?? 0;
    return this.#fromRoom(beginning.text);
  }

  act(command: string): AdventureTurn {
    if (this.#over)
      return { text: '', score: this.#score, won: false, lost: true, reward: 0, refused: 'over' satisfies Refusal };
    const reply = this.#story.act(command);
    this.#surroundings = undefined;
    if (this.#story.restarts !== this.#restarts) return this.#beginAgain(reply);
    const { text, reward, refused } = this.#follow(reply);
    const won = wonBanners.some((banner) => text.includes(banner));
    // A story that quit or broke can no more be won.
    const lost = !won && (this.#story.ended || lostBanners.some((banner) => text.includes(banner)));
    this.#over = won || lost;
    this.#score = this.#readScore(text) ?? this.#score;
    const score = this.#score;
    return { text, score, won, lost, reward: won ? 1 : lost ? -1 : reward, ...(refused !== undefined && { refused }) };
  }

  surroundings(): readonly string[] {
    return (this.#surroundings ??= this.#over ? [] : this.#ask('look', 'inventory'));
  }

  admissible(): readonly string[] {
    return this.#over ? [] : (this.#facts?.admissible ?? []);
  }

  remaining(): Remaining | undefined {
    const plan = this.#facts?.plan;
    return plan && { actions: plan.length, deeds: plan.filter(({ rule }) => !rule.startsWith('go/')).length };
  }

  nextCommand(): string | undefined {
    return this.#over ? undefined : this.#facts?.nextCommand;
  }

  key(): string {
    const state = [this.#story.snapshot(), this.#facts?.key ?? '', this.#over];
    return createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 32);
  }

  snapshot(): Json {
    const state: State = {
      story: this.#story.snapshot(),
      followed: this.#facts?.followed.slice() ?? [],
      score: this.#score,
      over: this.#over,
    };
    return state as unknown as Json;
  }

  restore(state: Json): void {
    const { story, followed, score, over } = state as unknown as State;
    this.#story.restore(story);
    this.#begin();
    for (const action of followed) this.#facts?.follow(action);
    this.#score = score;
    this.#over = over;
  }

  dispose(): void {
    this.#story.dispose();
    this.#over = true;
  }

  #begin(): void {
    this.#facts = this.#game && new StoryFacts(this.#game);
    this.#restarts = this.#story.restarts;
    this.#surroundings = undefined;
    this.#over = false;
  }

  /** The player let the story begin anew. It does not trace any more, and the facts are those of the start. */
  #beginAgain(reply: string): AdventureTurn {
    if (this.#game) this.#trace();
    this.#begin();
    this.#score = this.#readScore(reply) ?? 0;
    return { text: this.#fromRoom(reply), score: this.#score, won: false, lost: false, reward: 0 };
  }

  #trace(): void {
    if (readTrace(this.#story.act(traceActions)).understood) return;
    throw new StoryError('the story does not report which actions were done: it is not a story of TextWorld');
  }

  /** Follows what the reply says was done. */
  #follow(reply: string): Pick<AdventureTurn, 'text' | 'reward' | 'refused'> {
    const facts = this.#facts;
    if (facts === undefined) return { text: reply, reward: 0 };
    const before = facts.plan?.length;
    const { text, done, understood } = readTrace(reply);
    for (const action of done) facts.follow(action);
    const after = facts.plan?.length;
    return {
      text,
      reward: before === undefined || after === undefined ? 0 : Math.sign(before - after),
      ...(done.length === 0 && { refused: understood ? 'not possible' : whyNotUnderstood(text) }),
    };
  }

  /** The answers to commands that are then taken back. */
  #ask(...commands: readonly string[]): readonly string[] {
    const state = this.#story.snapshot();
    return commands.map((command) => {
      const reply = this.#story.act(command);
      this.#story.restore(state);
      return this.#facts ? readTrace(reply).text : reply;
    });
  }

  /** Points: at the end from the text, which counts the last ones too, else from the line above the story. */
  #readScore(text: string): number | undefined {
    const line = this.#story.statusLine;
    const found =
      (this.#over ? /You scored (-?\d+) out of/.exec(text) : null) ??
      /(-?\d+)\/\d+$/.exec(line) ??
      /Score: *(-?\d+)/.exec(line);
    return found ? Number(found[1]) : undefined;
  }

  #fromRoom(text: string): string {
    return this.#game === undefined ? text : text.slice(Math.max(0, text.search(/^-= .* =-$/m)));
  }
}

function whyNotUnderstood(text: string): Refusal {
  return misunderstandings.find(([beginning]) => text.startsWith(beginning))?.[1] ?? 'not understood';
}
