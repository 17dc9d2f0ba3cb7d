// An episode in AgentGym's text wrapper with all its quirks: agentenv_babyai/environment.py of WooooDyy/AgentGym.
import type { Json } from '@agentgym/cli';

import { firstView } from '../levels/first-view.js';
import type { GeneratedLevel } from '../levels/generate-level.js';
import { readMoves, writeMoves } from '../world/moves.js';
import type { Action } from '../world/world-state.js';
import { GridWorld } from '../world/world.js';
import type { View } from '../world/view.js';
import { describeScene } from './describe-scene.js';
import { listActionsAsAgentGym, type ActionMenu } from './high-level-actions.js';
import { readScene } from './visible-things.js';

/** The answer of AgentGym's server. */
export interface AgentGymReply {
  readonly observation: string;
  /** Of the last low-level step; it stays when an action is refused. */
  readonly reward: number;
  /** Grows by the reward with every action, also with refused ones. */
  readonly score: number;
  readonly done: boolean;
}

/** What Python's `str.strip` removes. */
const pythonSpace = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+`;
const outerSpace = new RegExp(`^${pythonSpace}|${pythonSpace}$`, 'g');
/** A success that came later than this does not end the episode. */
const leastReward = 0.5;

export class AgentGymSession {
  readonly world: GridWorld;
  readonly goal: string;
  readonly #view: View;
  readonly #first: string;
  #menu: ActionMenu;
  #reward = 0;
  #score = 0;
  #done = false;
  /** Low-level actions so far. */
  readonly moves: Action[] = [];
  /** Why the last action did nothing. */
  refused: 'unknown' | 'illegal' | undefined;

  constructor(level: GeneratedLevel) {
    this.#view = firstView(level);
    this.world = new GridWorld(level);
    this.goal = level.mission.replaceAll('then', 'and').replaceAll('after you', 'and');
    const scene = readScene(this.#view, this.world);
    this.#menu = listActionsAsAgentGym(scene);
    this.#first = describeScene(scene);
  }

  get menu(): ActionMenu {
    return this.#menu;
  }

  /** The reply to the reset. */
  start(): AgentGymReply {
    return this.#reply(`Your goal: ${this.goal}\n${this.#first}`);
  }

  step(given: string): AgentGymReply {
    const words = given.toLowerCase().replace(outerSpace, '');
    this.refused = undefined;
    const text = this.#answer(words);
    this.#score += this.#reward;
    return this.#reply(text);
  }

  /** What future answers depend on besides the world. */
  key(): string {
    const { steps } = this.world;
    return `${steps} ${this.#reward} ${this.#score}`;
  }

  snapshot(): Json {
    return { moves: writeMoves(this.moves), reward: this.#reward, score: this.#score, done: this.#done };
  }

  /** Plays the moves again; the session has to be at its start. */
  restore(state: Json): void {
    const saved = state as { moves: string; reward: number; score: number; done: boolean };
    for (const move of readMoves(saved.moves)) {
      this.world.step(move);
      this.moves.push(move);
    }
    if (saved.moves !== '') {
      this.#view.look(this.world.grid, this.world);
      this.#menu = listActionsAsAgentGym(readScene(this.#view, this.world));
    }
    this.#reward = saved.reward;
    this.#score = saved.score;
    this.#done = saved.done;
  }

  #answer(words: string): string {
    if (words.includes('check')) {
      return `You can take the following actions: ${[...this.#menu.actions.keys()].join(', ')}`;
    }
    const moves = this.#menu.actions.get(words);
    if (moves === undefined) {
      const refusal = this.#menu.refusals.get(words);
      this.refused = refusal === undefined ? 'unknown' : 'illegal';
      if (words === '') return 'No change in state.';
      return refusal ?? 'The action is not recognized. Please check valid actions.';
    }
    if (moves.length === 0) return 'No change in state.';
    const isEnd = this.#play(moves);
    const scene = readScene(this.#view, this.world);
    this.#menu = listActionsAsAgentGym(scene);
    this.#done = isEnd && this.#reward > leastReward;
    return describeScene(scene) + (isEnd ? '\n The task is completed.' : '');
  }

  /** Goes on until nothing looks different; only the last step counts. Returns whether it ended the episode. */
  #play(given: readonly Action[]): boolean {
    let isEnd = false;
    for (const move of given) {
      const outcome = this.world.step(move);
      this.moves.push(move);
      isEnd = outcome !== undefined;
      this.#reward = outcome === 'success' ? this.world.reward : 0;
      if (!this.#view.look(this.world.grid, this.world)) break;
    }
    return isEnd;
  }

  #reply(text: string): AgentGymReply {
    const names = [...this.#menu.actions.keys()].map((words) => `"${words}"`).join(', ');
    return {
      observation: `${text}\nAvailable actions: [${names}]`,
      reward: this.#reward,
      score: this.#score,
      done: this.#done,
    };
  }
}
