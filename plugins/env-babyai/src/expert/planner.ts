// Carries out an instruction in a copy of the world, with full knowledge of it.
import type { GoTo, Open, PickUp, PutNext } from '../instructions/commands.js';
import type { Command } from '../instructions/instruction.js';
import type { Place, Thing } from '../world/thing.js';
import { action, type Action } from '../world/world-state.js';
import { Ended, mostDetours, Mover, Stuck } from './mover.js';

/** Plays a copy of a world, which it uses up. */
export class Planner extends Mover {
  /** Actions that succeed; undefined if none were found. */
  solve(): readonly Action[] | undefined {
    try {
      for (;;) {
        const { open } = this.world.instruction;
        const command = this.habits.command === 'first' ? open[0] : open.at(-1);
        if (command === undefined) return undefined;
        this.#carryOut(command);
      }
    } catch (end) {
      if (end instanceof Ended) return end.outcome === 'success' ? this.actions : undefined;
      if (end instanceof Stuck) return undefined;
      throw end;
    }
  }

  #carryOut(command: Command): void {
    const before = this.actions.length;
    this.needed = undefined;
    switch (command.verb) {
      case 'go to':
        // What is in the hands is nowhere, and is found again when it is put down.
        if ((command as GoTo).target.places.length === 0 && this.world.carrying !== undefined) this.putDown();
        this.goTo((command as GoTo).target.places);
        break;
      case 'open':
        this.#open((command as Open).door.things);
        break;
      case 'pick up':
        this.pickUpAnew((command as PickUp).target.things);
        break;
      case 'put':
        this.#put(command as PutNext);
    }
    // What is done already is noticed with the next action only.
    if (this.actions.length === before) this.turnAndBack();
  }

  #open(doors: readonly Thing[]): void {
    const ready = doors.filter((door) => door.state !== 'locked' || this.world.hasKeyOf(door));
    if (ready.length > 0) {
      this.goTo(ready);
      if (this.world.ahead?.state === 'open') this.act(action.toggle);
      this.act(action.toggle);
      return;
    }
    const [door] = doors.filter((candidate) => this.keysOf(candidate).length > 0);
    if (door === undefined) throw new Stuck();
    this.unlock(door);
  }

  #put(command: PutNext): void {
    for (let attempt = 0; attempt < mostDetours; attempt += 1) {
      if (this.clearsFirst && !command.isHalfDone(this.world)) this.#openWayFor(command);
      this.fetch(command.moved.things);
      const moved = this.world.carrying as Thing;
      this.needed = moved;
      const beside = this.#cellsBeside(command, moved);
      const free = beside.filter(({ x, y }) => this.world.grid.get(x, y) === undefined);
      if (this.route(this.cellsOf(free)) === undefined) {
        this.#makeRoom(beside, moved);
        continue;
      }
      this.goTo(free);
      if (this.world.carrying !== moved) continue;
      if (!command.hasSeen(moved)) this.turnAndBack();
      return this.act(action.drop);
    }
    throw new Stuck();
  }

  #openWayFor(command: PutNext): void {
    const free = this.#cellsBeside(command, undefined).filter(({ x, y }) => this.world.grid.get(x, y) === undefined);
    if (this.route(this.cellsOf(free)) !== undefined) this.openWay(this.cellsOf(free));
  }

  /** Moves something away that lies where the thing should be put. */
  #makeRoom(beside: readonly Place[], moved: Thing): void {
    const { grid } = this.world;
    const obstacles = beside
      .map(({ x, y }) => grid.get(x, y))
      .filter((thing): thing is Thing => thing !== undefined && thing.portable);
    if (obstacles.length === 0) throw new Stuck();
    const reserved = this.cellsOf(beside);
    this.putDown(reserved);
    this.pickUpAnew(obstacles);
    this.putDown(reserved);
    this.fetch([moved]);
  }

  #cellsBeside({ fixed }: PutNext, moved: Thing | undefined): readonly Place[] {
    const { grid } = this.world;
    return fixed.things
      .filter((thing) => thing !== moved && grid.holds(thing))
      .flatMap(({ x, y }) => [
        { x: x + 1, y },
        { x: x - 1, y },
        { x, y: y + 1 },
        { x, y: y - 1 },
      ])
      .filter(({ x, y }) => x > 0 && y > 0 && x < grid.width - 1 && y < grid.height - 1);
  }
}
