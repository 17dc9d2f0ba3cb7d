import type { EnvironmentHost, Json } from '@agentgym/cli';

import { firstView } from '../levels/first-view.js';
import type { GeneratedLevel } from '../levels/generate-level.js';
import type { Options } from '../options.js';
import { describeHands, describeScene } from '../text/describe-scene.js';
import { drawView, viewAsData } from '../text/draw-view.js';
import { checkActions, listActions, type ActionMenu } from '../text/high-level-actions.js';
import { isActionName, possibleActions } from '../text/primitive-actions.js';
import { readHighLevel, readPrimitive } from '../text/read-action.js';
import { readScene } from '../text/visible-things.js';
import { readMoves, writeMoves } from '../world/moves.js';
import { View } from '../world/view.js';
import { worldKey } from '../world/world-key.js';
import { action, type Action, type Outcome } from '../world/world-state.js';
import { GridWorld } from '../world/world.js';
import type { LevelEpisode, LevelTurn } from './episode.js';

interface Saved {
  readonly moves: string;
  readonly turns: number;
  readonly end: End | null;
}

type End = 'success' | 'failure' | 'time';

const endWords: Readonly<Record<End, string>> = {
  success: 'The task is completed.',
  failure: 'The task has failed.',
  time: 'The time is up.',
};

const noRefusals: ReadonlyMap<string, string> = new Map();

/** An episode by our own rules of text, or with the original's actions. */
export class PlainEpisode implements LevelEpisode {
  readonly world: GridWorld;
  readonly #mission: string;
  readonly #view: View;
  readonly moves: Action[] = [];
  #turns = 0;
  #end: End | undefined;
  #menu: ActionMenu | undefined;

  constructor(
    level: GeneratedLevel,
    readonly options: Options,
    readonly host: Pick<EnvironmentHost, 'composeObservation'>,
  ) {
    const isExact = options.compat !== 'corrected';
    this.world = new GridWorld(level, isExact ? 'original' : 'fair');
    this.#mission = level.mission;
    this.#view = isExact ? firstView(level) : new View();
    if (!isExact) this.#view.look(level.grid, level);
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  get menu(): ReadonlyMap<string, readonly Action[]> {
    return this.#listed.actions;
  }

  start(): string {
    return this.#observe(`Your goal: ${this.#mission}`);
  }

  step(text: string): LevelTurn {
    if (this.#end !== undefined) return this.#turn('The episode is over.', 'over');
    this.#turns += 1;
    const { message, refused } = this.options.actions === 'primitive' ? this.#playOne(text) : this.#playWords(text);
    if (this.#end === undefined && this.#isLate) this.#end = 'time';
    return this.#turn(message, refused);
  }

  simulate(copy: GridWorld, moves: readonly Action[]): Outcome {
    for (const move of moves) {
      const outcome = copy.step(move);
      if (outcome !== undefined || !copy.changed) return outcome;
    }
    return undefined;
  }

  key(): string {
    const { timed, maxTurns } = this.options;
    const time = [...(timed ? [this.world.steps] : []), ...(timed || maxTurns !== null ? [this.#turns] : [])];
    return `${time.join(' ')} ${this.#end ?? ''} ${worldKey(this.world)}`;
  }

  snapshot(): Json {
    const saved: Saved = { moves: writeMoves(this.moves), turns: this.#turns, end: this.#end ?? null };
    return saved as unknown as Json;
  }

  /** Plays the moves again; the episode has to be at its start. */
  restore(state: Json): void {
    const { moves, turns, end } = state as unknown as Saved;
    for (const move of readMoves(moves)) {
      this.world.step(move);
      this.moves.push(move);
    }
    if (moves !== '') this.#view.look(this.world.grid, this.world);
    this.#menu = undefined;
    this.#turns = turns;
    this.#end = end ?? undefined;
  }

  get #listed(): ActionMenu {
    this.#menu ??=
      this.options.actions === 'primitive'
        ? { actions: this.#primitives(), refusals: noRefusals }
        : listActions(readScene(this.#view, this.world));
    return this.#menu;
  }

  #primitives(): ReadonlyMap<string, readonly Action[]> {
    return new Map(possibleActions(this.world).map((name) => [name, [action[name]]]));
  }

  /** The level's limit of steps, or the user's of turns. Every turn counts as a step, also if it does nothing. */
  get #isLate(): boolean {
    const { timed, maxTurns } = this.options;
    const isLate = timed && (this.world.timeIsUp || this.#turns >= this.world.maxSteps);
    return isLate || (maxTurns !== null && this.#turns >= maxTurns);
  }

  #playOne(text: string): { message?: string; refused?: string } {
    const name = readPrimitive(text);
    if (!isActionName(name)) return { message: 'There is no such action.', refused: 'unknown' };
    this.#play([action[name]]);
    return this.world.changed ? {} : { message: 'Nothing happens.', refused: 'no-effect' };
  }

  #playWords(text: string): { message?: string; refused?: string } {
    const words = readHighLevel(text);
    const { actions, refusals } = this.#listed;
    if (words === checkActions) {
      return { message: `You can take the following actions: ${[...actions.keys()].join(', ')}` };
    }
    const moves = actions.get(words);
    if (moves !== undefined) {
      this.#play(moves);
      return {};
    }
    const refusal = refusals.get(words);
    return refusal === undefined
      ? { message: 'The action is not recognized. Please check valid actions.', refused: 'unknown' }
      : { message: refusal, refused: 'illegal' };
  }

  /** Goes on until the episode ends or something is in the way. */
  #play(moves: readonly Action[]): void {
    const { world } = this;
    this.#menu = undefined;
    for (const move of moves) {
      this.#end = world.step(move);
      this.moves.push(move);
      if (this.#end !== undefined || !world.changed || (this.options.timed && world.timeIsUp)) break;
    }
    this.#view.look(world.grid, world);
  }

  #turn(message: string | undefined, refused: string | undefined): LevelTurn {
    const end = this.#end;
    const isPaid = end === 'success' && refused !== 'over';
    return {
      observation: this.#observe(message),
      reward: isPaid ? (this.options.timed ? this.world.reward : 1) : 0,
      ...(refused !== undefined && { refused }),
      success: end === 'success',
      terminated: end === 'success' || end === 'failure',
      truncated: end === 'time',
    };
  }

  #observe(message: string | undefined): string {
    const { observation, listActions: isListed } = this.options;
    const words = this.#end === undefined ? undefined : endWords[this.#end];
    const actions = () => (this.#end === undefined ? [...this.menu.keys()] : []);
    if (observation === 'json') {
      return JSON.stringify({
        mission: this.#mission,
        ...viewAsData(this.#view, this.world),
        ...(message !== undefined && this.#turns > 0 && { message }),
        ...(words !== undefined && { end: words }),
        ...(isListed && this.#end === undefined && { actions: actions() }),
      });
    }
    const shown =
      observation === 'text'
        ? describeScene(readScene(this.#view, this.world))
        : `${drawView(this.#view)}\n${describeHands(this.world.carrying)}`;
    const reply = [message, shown, words].filter((part) => part !== undefined).join('\n');
    return this.host.composeObservation(
      { reply, surroundings: () => [], actions },
      { observe: 'changes', listActions: isListed },
    );
  }
}
