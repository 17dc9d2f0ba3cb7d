import { finalQuestion } from './fixed-replies.js';
import { numberInWords } from './printed-names.js';
import type { Story } from './story.js';
import { areWon, followQuests, type StoryProgress } from './story-quests.js';
import type { StoryWorld } from './story-world.js';

/** Commands that the original's environment gives a story before the first one of the player. */
const hiddenCommands = 5;

/** Quests, points and turns as a story counts them, and what it says about them at the end of a turn. */
export class StoryScore {
  readonly #story: Story;
  #quests: StoryProgress = { score: 0, completed: [] };
  /** The score that the story has told. */
  #told = 0;
  #turns = 1;
  #won = false;
  #lost = false;

  private constructor(story: Story) {
    this.#story = story;
  }

  /** The score before the first command. */
  static start(story: Story, world: StoryWorld): StoryScore {
    const score = new StoryScore(story);
    if (story.corrections.countsFromFirstCommand) return score;
    for (let turn = 0; turn < hiddenCommands; turn++) {
      score.#lost ||= followQuests(story.quests, score.#quests, world);
      score.#won ||= areWon(story.quests, score.#quests);
    }
    score.#told = score.points;
    return score;
  }

  get points(): number {
    return this.#quests.score;
  }

  get turns(): number {
    return this.#turns;
  }

  get won(): boolean {
    return this.#won;
  }

  get lost(): boolean {
    return this.#lost;
  }

  get isOver(): boolean {
    return this.#won || this.#lost;
  }

  /** Looks at the quests after a turn. Returns whether the story is lost. */
  follow(world: StoryWorld): boolean {
    this.#lost = followQuests(this.#story.quests, this.#quests, world);
    return this.#lost;
  }

  /** Ends a turn whose quests were followed. Returns what the story adds to its reply. */
  endTurn(): string {
    if (this.#lost) return this.#end('*** You lost! ***');
    this.#turns++;
    const gained = this.points - this.#told;
    this.#told = this.points;
    const notice = gained === 0 ? '' : `\n\n${scoreChanged(gained)}`;
    this.#won = areWon(this.#story.quests, this.#quests);
    return this.#won ? notice + this.#end('*** The End ***') : notice;
  }

  /** The points, and the turns where the story tells them. */
  text(): string {
    const { maximumScore, corrections } = this.#story;
    const counted = `, in ${this.#turns} ${this.#turns === 1 ? 'turn' : 'turns'}`;
    const turns = `${corrections.tellsNoTurns ? '' : counted}.`;
    if (maximumScore !== Infinity) return `${this.points} out of a possible ${maximumScore}${turns}`;
    const points = `${this.points} ${this.points === 1 ? 'point' : 'points'}${turns}`;
    return this.isOver ? `a total of ${points}` : points;
  }

  /** Equal for scores with the same future. Where replies tell the number of turns, it counts. */
  key(): string {
    const turns = this.#story.corrections.tellsNoTurns ? 0 : this.#turns;
    return `${this.points} ${this.#quests.completed.join()} ${turns} ${this.#won} ${this.#lost}`;
  }

  #end(banner: string): string {
    const question = this.#story.corrections.endsWithoutQuestion ? '' : `\n\n${finalQuestion}`;
    return `\n\n${banner}\n\nYou scored ${this.text()}${question}`;
  }
}

function scoreChanged(gained: number): string {
  const changed = gained > 0 ? 'has just gone up' : 'changed';
  const points = Math.abs(gained) === 1 ? 'point' : 'points';
  return `Your score ${changed} by ${numberInWords(gained)} ${points}.`;
}
