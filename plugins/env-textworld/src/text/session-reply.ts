import type { Action } from '../logic/logic.js';
import type { Situation } from './deed-context.js';
import type { Refusal } from './refusal.js';
import type { Story } from './story.js';
import { inventoryText, roomText } from './surroundings.js';
import type { StoryWorld } from './story-world.js';

/** The answer to a command. */
export interface Reply {
  readonly text: string;
  /** What `look` would print now. */
  readonly description: string;
  /** What `inventory` would print now. */
  readonly inventory: string;
  /** The action of the game's rules that was done; of several, the last one. */
  readonly action: Action | undefined;
  readonly score: number;
  /** Infinite if points can be earned without end. */
  readonly maximumScore: number;
  readonly won: boolean;
  readonly lost: boolean;
  readonly done: boolean;
  /** TextWorld's intermediate reward: 1 nearer to the end of the quests or won, -1 farther or lost, 0 neither. */
  readonly reward: number;
  /** Commands that the rules allow now, by their characters. */
  readonly admissible: readonly string[];
  /** Number of the turn, from 1. Commands that are understood take a turn, also if they are refused. */
  readonly turns: number;
  /** Actions of the game's rules that were done so far. */
  readonly moves: number;
  /** Why the command did nothing; undefined if it did something. */
  readonly refusal: Refusal | undefined;
}

/** What of a session a reply is made of. */
export interface Told {
  readonly world: StoryWorld;
  readonly brief: Situation['brief'];
  readonly score: number;
}

type Given = Omit<Reply, 'description' | 'inventory' | 'score' | 'done'>;

/** Texts that few callers want are made when they are asked for. */
export class SessionReply implements Reply {
  readonly text: string;
  readonly action: Action | undefined;
  readonly score: number;
  readonly maximumScore: number;
  readonly won: boolean;
  readonly lost: boolean;
  readonly reward: number;
  readonly admissible: readonly string[];
  readonly turns: number;
  readonly moves: number;
  readonly refusal: Refusal | undefined;
  readonly #story: Story;
  readonly #told: Told;

  constructor(story: Story, told: Told, given: Given) {
    this.#story = story;
    this.#told = told;
    this.text = given.text;
    this.action = given.action;
    this.score = told.score;
    this.maximumScore = given.maximumScore;
    this.won = given.won;
    this.lost = given.lost;
    this.reward = given.reward;
    this.admissible = given.admissible;
    this.turns = given.turns;
    this.moves = given.moves;
    this.refusal = given.refusal;
  }

  get done(): boolean {
    return this.won || this.lost;
  }

  get description(): string {
    return roomText(this.#story, this.#told.world, this.#told.brief === 'always');
  }

  get inventory(): string {
    return inventoryText(this.#story, this.#told.world);
  }
}
