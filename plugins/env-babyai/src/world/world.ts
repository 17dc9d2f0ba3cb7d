// The world of a level in play: `MiniGridEnv.step` of minigrid/minigrid_env.py and `RoomGridLevel.step` of
// minigrid/envs/babyai/core/roomgrid_level.py.
import type { Instruction } from '../instructions/instruction.js';
import { stepX, stepY, turnLeft, turnRight, type Direction } from './direction.js';
import type { Grid } from './grid.js';
import type { Thing } from './thing.js';
import { action, type Action, type Outcome, type Rules, type WorldState } from './world-state.js';

/** What a level begins with. */
export interface Beginning {
  readonly grid: Grid;
  readonly x: number;
  readonly y: number;
  readonly direction: Direction;
  readonly carrying: Thing | undefined;
  readonly instruction: Instruction;
  readonly maxSteps: number;
}

export class GridWorld implements WorldState {
  readonly grid: Grid;
  readonly instruction: Instruction;
  readonly maxSteps: number;
  x: number;
  y: number;
  direction: Direction;
  carrying: Thing | undefined;
  steps = 0;
  /** The last action had an effect. */
  changed = false;

  constructor(
    beginning: Beginning,
    readonly rules: Rules = 'original',
  ) {
    this.grid = beginning.grid;
    this.instruction = beginning.instruction;
    this.maxSteps = beginning.maxSteps;
    this.x = beginning.x;
    this.y = beginning.y;
    this.direction = beginning.direction;
    this.carrying = beginning.carrying;
  }

  get aheadX(): number {
    return this.x + stepX[this.direction];
  }

  get aheadY(): number {
    return this.y + stepY[this.direction];
  }

  get ahead(): Thing | undefined {
    return this.grid.get(this.aheadX, this.aheadY);
  }

  hasKeyOf(door: Thing): boolean {
    return this.carrying?.kind === 'key' && this.carrying.colour === door.colour;
  }

  /** The limit of steps is reached. */
  get timeIsUp(): boolean {
    return this.steps >= this.maxSteps;
  }

  /** What a success with the last step is worth. */
  get reward(): number {
    return 1 - 0.9 * (this.steps / this.maxSteps);
  }

  /** One low-level action. What is impossible changes nothing but the number of steps. */
  step(given: Action): Outcome {
    this.steps += 1;
    this.changed = this.#act(given);
    if (given === action.drop) this.instruction.followThings(this);
    const verdict = this.instruction.verify(given, this);
    return verdict === 'continue' ? undefined : verdict;
  }

  /** Whether the action is possible here. */
  #act(given: Action): boolean {
    switch (given) {
      case action.left:
        this.direction = turnLeft(this.direction);
        return true;
      case action.right:
        this.direction = turnRight(this.direction);
        return true;
      case action.forward: {
        const ahead = this.ahead;
        if (ahead !== undefined && !ahead.passable) return false;
        this.x = this.aheadX;
        this.y = this.aheadY;
        return true;
      }
      case action.pickup:
        return this.#pickUp();
      case action.drop:
        if (this.carrying === undefined || this.ahead !== undefined) return false;
        this.grid.place(this.carrying, this.aheadX, this.aheadY);
        this.carrying = undefined;
        return true;
      case action.toggle:
        return this.#toggle();
      case action.done:
        return false;
    }
  }

  #pickUp(): boolean {
    const ahead = this.ahead;
    if (ahead === undefined || !ahead.portable || this.carrying !== undefined) return false;
    this.grid.set(this.aheadX, this.aheadY, undefined);
    ahead.x = -1;
    ahead.y = -1;
    this.carrying = ahead;
    return true;
  }

  #toggle(): boolean {
    const ahead = this.ahead;
    if (ahead?.kind === 'box') {
      const { content, x, y } = ahead;
      if (content === undefined) this.grid.set(x, y, undefined);
      else this.grid.place(content, x, y);
      ahead.x = -1;
      ahead.y = -1;
      return true;
    }
    if (ahead?.kind !== 'door') return false;
    if (ahead.state === 'locked' && !this.hasKeyOf(ahead)) return false;
    ahead.state = ahead.state === 'open' ? 'closed' : 'open';
    return true;
  }
}
