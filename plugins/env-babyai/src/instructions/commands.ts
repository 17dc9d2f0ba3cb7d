// Single commands: `GoToInstr`, `OpenInstr`, `PickupInstr` and `PutNextInstr` of
// minigrid/envs/babyai/core/verifier.py.
import type { Place, Thing } from '../world/thing.js';
import { action, type Action, type WorldState } from '../world/world-state.js';
import type { Description, Standpoint } from './description.js';
import type { Command, GoalVerdict } from './instruction.js';

abstract class SingleCommand implements Command {
  abstract readonly verb: Command['verb'];
  abstract readonly words: string;
  readonly ways: number = 1;
  readonly commands: readonly Command[] = [this];
  /** What the agent held when this command was looked at last; it is not looked at while it has to wait. */
  protected heldBefore: Thing | undefined;
  #isDone = false;

  constructor(
    readonly descriptions: readonly Description[],
    readonly strict: boolean,
  ) {}

  get isDone(): boolean {
    return this.#isDone;
  }

  get open(): readonly Command[] {
    return this.#isDone ? [] : this.commands;
  }

  begin(from: Standpoint): void {
    this.#isDone = false;
    this.heldBefore = undefined;
    for (const description of this.descriptions) description.find(from);
  }

  verify(given: Action, state: WorldState): GoalVerdict {
    const verdict = this.judge(given, state);
    this.heldBefore = state.carrying;
    if (verdict === 'success') this.#isDone = true;
    return verdict;
  }

  followThings({ grid }: WorldState): void {
    for (const description of this.descriptions) description.follow(grid);
  }

  isHalfDone(_state: WorldState): boolean {
    return false;
  }

  key({ carrying }: WorldState): string {
    const held = this.heldBefore;
    const about = this.descriptions.map((description) => {
      const things = description.things.filter(({ kind }) => kind !== 'wall');
      const isOne = (thing: Thing | undefined) => (thing !== undefined && things.includes(thing) ? '+' : '-');
      return `${places(description.places)}/${places(things)}${isOne(carrying)}${isOne(held)}`;
    });
    return `${this.#isDone ? 'done' : ''}${held === undefined ? '' : places([held])}(${about.join('|')})`;
  }

  copy(copyOf: (thing: Thing) => Thing): SingleCommand {
    const copied = this.make(this.descriptions.map((description) => description.copy(copyOf)));
    copied.heldBefore = this.heldBefore === undefined ? undefined : copyOf(this.heldBefore);
    copied.#isDone = this.#isDone;
    return copied;
  }

  protected abstract judge(given: Action, state: WorldState): GoalVerdict;
  protected abstract make(descriptions: readonly Description[]): SingleCommand;
}

/** Stand before it and face it. */
export class GoTo extends SingleCommand {
  readonly verb = 'go to';

  constructor(readonly target: Description) {
    super([target], false);
  }

  get words(): string {
    return `go to ${this.target.words}`;
  }

  protected judge(_given: Action, { aheadX, aheadY }: WorldState): GoalVerdict {
    return this.target.places.some(({ x, y }) => x === aheadX && y === aheadY) ? 'success' : 'continue';
  }

  protected make([target]: readonly Description[]): GoTo {
    return new GoTo(target as Description);
  }
}

/** Open a door that was shut. Strict: touching another door, or shutting this one, is a failure. */
export class Open extends SingleCommand {
  readonly verb = 'open';

  constructor(
    readonly door: Description,
    strict = false,
  ) {
    super([door], strict);
  }

  get words(): string {
    return `open ${this.door.words}`;
  }

  protected judge(given: Action, { ahead }: WorldState): GoalVerdict {
    if (given !== action.toggle || ahead === undefined) return 'continue';
    if (ahead.passable && this.door.things.includes(ahead)) return 'success';
    return this.strict && ahead.kind === 'door' ? 'failure' : 'continue';
  }

  protected make([door]: readonly Description[]): Open {
    return new Open(door as Description, this.strict);
  }
}

/** Take it with empty hands. Strict: taking anything else is a failure. */
export class PickUp extends SingleCommand {
  readonly verb = 'pick up';

  constructor(
    readonly target: Description,
    strict = false,
  ) {
    super([target], strict);
  }

  get words(): string {
    return `pick up ${this.target.words}`;
  }

  protected judge(given: Action, { carrying }: WorldState): GoalVerdict {
    if (given !== action.pickup || carrying === undefined) return 'continue';
    if (this.heldBefore === undefined && this.target.things.includes(carrying)) return 'success';
    return this.strict ? 'failure' : 'continue';
  }

  protected make([target]: readonly Description[]): PickUp {
    return new PickUp(target as Description, this.strict);
  }
}

/** Put it down so that it lies straight beside the other. Counts only when it was in the hands for a step. */
export class PutNext extends SingleCommand {
  readonly verb = 'put';
  override readonly ways = 2;

  constructor(
    readonly moved: Description,
    readonly fixed: Description,
  ) {
    super([moved, fixed], false);
  }

  get words(): string {
    return `put ${this.moved.words} next to ${this.fixed.words}`;
  }

  /** Whether something that should be moved lies beside something that it should be moved to. */
  get areNext(): boolean {
    return this.moved.things.some((thing) => this.#isBeside(thing));
  }

  /** Whether a drop of this thing would count: it was in the hands when this command was looked at last. */
  hasSeen(thing: Thing): boolean {
    return this.heldBefore === thing;
  }

  override isHalfDone({ carrying }: WorldState): boolean {
    return carrying !== undefined && this.moved.things.includes(carrying);
  }

  protected judge(given: Action, _state: WorldState): GoalVerdict {
    const thing = this.heldBefore;
    if (given !== action.drop || thing === undefined || !this.moved.things.includes(thing)) return 'continue';
    return this.#isBeside(thing) ? 'success' : 'continue';
  }

  protected make([moved, fixed]: readonly Description[]): PutNext {
    return new PutNext(moved as Description, fixed as Description);
  }

  #isBeside(thing: Thing): boolean {
    return this.fixed.places.some(({ x, y }) => Math.abs(thing.x - x) + Math.abs(thing.y - y) === 1);
  }
}

function places(list: readonly Place[]): string {
  return list.map(({ x, y }) => `${x},${y}`).join(' ');
}
