import type { GameAction } from '../game/action-table.js';
import type { Situation } from './deed-context.js';
import { tryDeed } from './deeds.js';
import { helpText, modeReplies } from './fixed-replies.js';
import type { Deed } from './grammar.js';
import type { Misunderstanding, Order } from './order.js';
import type { Position } from './position.js';
import { nameWithArticle } from './printed-names.js';
import type { Refusal } from './refusal.js';
import type { Story } from './story.js';
import { moveDoors } from './story-map.js';
import { player } from './story-object.js';
import { setFact } from './world-facts.js';

/** Questions that answers of the same command may raise. */
const mostAnswers = 8;

/** One command at a position: what it does there, and what is said to it. */
export class SessionTurn {
  readonly #at: Position;
  readonly #story: Story;
  #text = '';
  #prefix = '';
  #action: GameAction | undefined;
  #tracked = 0;
  /** Actions that were left to do before a command that does several things. */
  #planned: number | undefined;
  #allowed: GameAction | undefined;

  constructor(at: Position) {
    this.#at = at;
    this.#story = at.story;
  }

  /** What was said so far. */
  get text(): string {
    return this.#text;
  }

  /** The last action of the game's rules that was done. */
  get action(): GameAction | undefined {
    return this.#action;
  }

  /** Does what a command says, if it is understood and possible. */
  act(command: string): Refusal | undefined {
    const { corrections } = this.#story;
    if (corrections.understandsAdmissible) {
      const action = this.#admissibleAction(command);
      if (action !== undefined) {
        this.#at.pending = undefined;
        return this.#doAction(action, command);
      }
    }
    // A blank line answers no question.
    const isBlank = command.trim() === '';
    const question = isBlank ? undefined : this.#at.pending;
    if (!isBlank) this.#at.pending = undefined;
    const answers = question === undefined ? [] : [...question.answers, command];
    let text = question?.command ?? command;
    let first: Refusal | undefined;
    for (let count = 0; ; count++) {
      const result = this.#at.parser.parse(text, this.#at.world, count === 0 ? answers : []);
      if (result.kind !== 'order') return this.#misunderstand(result, text, count === 0 ? answers : []) ?? first;
      if (count === 0 && (result.many !== undefined || result.rest !== undefined)) this.#planned = this.#planLength();
      const refusal = this.#doOrder(result, text);
      if (count === 0) first = refusal;
      if (result.rest === undefined || this.#at.score.isOver) return count === 0 ? refusal : (refusal ?? first);
      text = result.rest;
    }
  }

  /** TextWorld's intermediate reward of the command. */
  reward(): number {
    if (this.#at.score.won) return 1;
    if (this.#at.score.lost) return -1;
    if (this.#tracked === 0) return 0;
    if (this.#tracked === 1) return this.#at.progress.done ? 0 : this.#at.progress.reward;
    const left = this.#planLength();
    return this.#planned === undefined || left === undefined ? 0 : Math.sign(this.#planned - left);
  }

  #misunderstand(result: Misunderstanding, command: string, answers: readonly string[]): Refusal {
    if (result.kind === 'question' && answers.length < mostAnswers) this.#at.pending = { command, answers };
    this.#say(result.text);
    return result.refusal;
  }

  /** The possible action that prints exactly this command; of several, the one that needs most. */
  #admissibleAction(command: string): GameAction | undefined {
    const known = this.#at.state.actionFor(command);
    if (known !== undefined) return known;
    const folded = command.trim().replace(/\s+/g, ' ');
    return this.#at.state.actionFor(folded) ?? this.#at.state.actionFor(folded.toLowerCase());
  }

  /** Does an action of the rules, in the words of the story where it has some. */
  #doAction(action: GameAction, command: string): Refusal | undefined {
    const deed = this.#at.tracker.deedOf(action);
    this.#at.parser.memory.last = command;
    this.#at.parser.memory.mistake = 0;
    if (deed !== null) {
      if (deed.noun > 0) this.#at.parser.notice(deed.noun);
      const isDone = tryDeed(this.#story, this.#situation(command, false), deed.deed, deed.noun, deed.second);
      this.#endTurn();
      return isDone ? undefined : 'not possible';
    }
    const { facts } = this.#at.state.table.facts;
    if (this.#track(action)) {
      for (const fact of action.removes) setFact(this.#story, this.#at.world, facts[fact]!, false);
      for (const fact of action.adds) setFact(this.#story, this.#at.world, facts[fact]!, true);
      moveDoors(this.#at.world, this.#story.objects, this.#story.doors);
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
        this.#prefix = `${nameWithArticle(this.#story, this.#at.world, item, 'none', false)}: `;
        this.#at.parser.notice(item);
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
      world: this.#at.world,
      command: command.toLowerCase(),
      isOneOfMany,
      brief: this.#at.brief,
      allow: (deed, noun, second) => this.#allow(deed, noun, second),
      notice: (object) => this.#at.parser.notice(object),
      say: (text) => this.#say(text),
      done: (deed, noun, second) => this.#noteDone(deed, noun, second),
    };
  }

  /** Finds the action of the rules for what is about to happen. */
  #allow(deed: Deed, noun: number, second: number): string | undefined {
    const { changesByRulesOnly, tracksEverything } = this.#story.corrections;
    if (!tracksEverything) return undefined;
    this.#allowed = this.#at.tracker.find(deed, noun, second) ?? this.#otherAction(deed, noun);
    return this.#allowed === undefined && changesByRulesOnly ? "You can't do that." : undefined;
  }

  /** The action for a deed that says less than the rules do. */
  #otherAction(deed: Deed, noun: number): GameAction | undefined {
    const { objects } = this.#story;
    if (deed === 'take') return this.#at.tracker.find('remove', noun, this.#at.world.parent(noun));
    if (deed !== 'go') return undefined;
    const direction = objects[this.#at.world.parent(player)]?.exits.indexOf(noun) ?? -1;
    return direction === -1 ? undefined : this.#at.tracker.find('go', direction + 1, 0);
  }

  #noteDone(deed: Deed, noun: number, second: number): void {
    const allowed = this.#allowed;
    this.#allowed = undefined;
    if (this.#story.corrections.tracksEverything) {
      const action = allowed ?? this.#at.tracker.find(deed, noun, second);
      if (action !== undefined) this.#track(action);
      return;
    }
    const action = this.#at.tracker.recognise(this.#at.world, deed, noun, second);
    if (action !== undefined) this.#track(action);
  }

  #track(action: GameAction): boolean {
    if (!this.#at.state.apply(action)) return false;
    this.#action = action;
    this.#tracked++;
    this.#at.moves++;
    this.#at.progress.update(action, this.#at.state);
    return true;
  }

  #say(text: string): void {
    const line = this.#prefix + text;
    this.#prefix = '';
    if (this.#text !== '') this.#text += '\n';
    this.#text += line;
  }

  #endTurn(): void {
    const { score, world } = this.#at;
    const isLost = score.follow(world);
    if (!isLost) this.#at.lookAround();
    if (!isLost || this.#story.corrections.tellsAfterLoss) this.#at.remember();
    this.#text += score.endTurn();
  }

  /** The reply to a deed that takes no turn. */
  #outOfWorld(deed: Deed): string | undefined {
    if (deed === 'score') return `You have so far scored ${this.#at.score.text()}`;
    if (deed === 'pronouns') return this.#pronounsText();
    if (deed === 'modeBrief') this.#at.brief = 'again';
    if (deed === 'modeLong') this.#at.brief = 'never';
    if (deed === 'modeShort') this.#at.brief = 'always';
    return modeReplies[deed];
  }

  #pronounsText(): string {
    const [it = 0] = this.#at.parser.memory.pronouns;
    const meaning = it === 0 ? 'is unset' : `means ${nameWithArticle(this.#story, this.#at.world, it, 'the', false)}`;
    return `At the moment, "it" ${meaning}, "him" is unset, "her" is unset and "them" is unset.`;
  }

  #planLength(): number | undefined {
    return this.#at.progress.remaining()?.actions;
  }
}
