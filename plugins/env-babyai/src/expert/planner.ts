// Carries out an instruction in a copy of the world, with full knowledge of it, and notes the actions.
import type { GoTo, Open, PickUp, PutNext } from '../instructions/commands.js';
import type { Command } from '../instructions/instruction.js';
import type { Place, Thing } from '../world/thing.js';
import { action, type Action, type Outcome, type World } from '../world/world.js';
import { findRoute, greatestCost, type Route } from './find-route.js';
import { blocksNothing } from './put-down-places.js';

/** Thrown when the episode of the copy ends. */
class Ended {
  constructor(readonly outcome: Outcome) {}
}

/** Thrown when a plan leads nowhere. */
class Stuck {}

/** Actions of a plan. The longest levels need some hundreds. */
const mostActions = 3000;
const mostDetours = 60;
/** What it takes, roughly, to take something out of the way, and to put it down again with the hands free. */
const costToTake = 6;
const costToMove = 18;
/** Ways around are preferred more and more as long as clearing the way leads nowhere. */
const costOfAttempt = 12;
const costToUnlock = 60;

/** Choices that make another plan. */
export interface Habits {
  /** Which of two open commands is carried out before the other. */
  readonly command: 'first' | 'last';
  /**
   * 0 and 1 put things down at the nearest place; others leave out two places of three, each another two. Odd ones clear
   * the whole way before something is carried along it, even ones as they go.
   */
  readonly variant: number;
}

/** Plays a copy of a world, which it uses up. */
export class Planner {
  readonly #actions: Action[] = [];
  /** What must not stay behind when something is in the way. */
  #needed: Thing | undefined;
  /** What something in the way costs while the hands are empty. */
  #costToClear = costToTake;
  /** Doors whose keys are being fetched. */
  readonly #shut = new Set<Thing>();

  constructor(
    readonly world: World,
    readonly habits: Habits,
  ) {}

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
      if (end instanceof Ended) return end.outcome === 'success' ? this.#actions : undefined;
      if (end instanceof Stuck) return undefined;
      throw end;
    }
  }

  #carryOut(command: Command): void {
    const before = this.#actions.length;
    this.#needed = undefined;
    switch (command.verb) {
      case 'go to':
        // What is in the hands is nowhere, and is found again when it is put down.
        if ((command as GoTo).target.places.length === 0 && this.world.carrying !== undefined) this.#putDown();
        this.#goTo((command as GoTo).target.places);
        break;
      case 'open':
        this.#open((command as Open).door.things);
        break;
      case 'pick up':
        this.#pickUpAnew((command as PickUp).target.things);
        break;
      case 'put':
        this.#put(command as PutNext);
    }
    // What is done already is noticed with the next action only.
    if (this.#actions.length === before) this.#turnAndBack();
  }

  #act(given: Action): void {
    if (this.#actions.length >= mostActions) throw new Stuck();
    this.#actions.push(given);
    const outcome = this.world.step(given);
    if (outcome !== undefined) throw new Ended(outcome);
  }

  #turnAndBack(): void {
    this.#act(action.left);
    this.#act(action.right);
  }

  // --- Walking ---------------------------------------------------------------------------------------------------

  /**
   * Stands before one of the places. Opens doors, fetches keys and clears the way as needed.
   * @param freeHands what is in the hands is put down at once, and not only where it is in the way
   */
  #goTo(places: readonly Place[], freeHands = false): void {
    const targets = this.#cellsOf(places);
    for (let detour = 0; detour < mostDetours; detour += 1) {
      const route = this.#route(targets);
      if (route === undefined) throw new Stuck();
      const locked = this.#lockedOn(route);
      if (locked !== undefined) this.#unlock(locked);
      else if (freeHands && this.world.carrying !== undefined) this.#putDown(this.#way(route.poses));
      else if (this.#follow(route, targets)) return;
    }
    throw new Stuck();
  }

  /** The first door of a route that needs a key which is not in the hands. */
  #lockedOn({ poses }: Route): Thing | undefined {
    const things = poses.map((pose) => this.world.grid.cells[pose >> 2]);
    return things.find((thing) => thing?.state === 'locked' && !this.world.hasKeyOf(thing));
  }

  #cellsOf(places: readonly Place[]): ReadonlySet<number> {
    return new Set(places.map(({ x, y }) => y * this.world.grid.width + x));
  }

  /** The cells of a way from here. */
  #way(poses: readonly number[]): ReadonlySet<number> {
    const { x, y, grid } = this.world;
    return new Set([y * grid.width + x, ...poses.map((pose) => pose >> 2)]);
  }

  #route(targets: ReadonlySet<number>): Route | undefined {
    if (targets.size === 0) return undefined;
    return findRoute(this.world, (cell) => targets.has(cell), (thing) => this.#entryCost(thing, false));
  }

  #entryCost(thing: Thing | undefined, onlyFree: boolean): number | undefined {
    if (thing === undefined || thing.passable) return 0;
    if (thing.kind === 'wall') return undefined;
    if (thing.kind === 'door') {
      if (this.#mayNot('open') || this.#shut.has(thing)) return undefined;
      if (thing.state === 'closed' || this.world.hasKeyOf(thing)) return 1;
      return onlyFree || this.#keysOf(thing).length === 0 ? undefined : costToUnlock;
    }
    if (onlyFree) return undefined;
    if (this.#mayNot('pick up')) return thing.kind === 'box' ? 1 : undefined;
    return this.world.carrying === undefined ? this.#costToClear : Math.max(costToMove, this.#costToClear);
  }

  /** Strict commands end the episode when another door or thing is touched. */
  #mayNot(verb: Command['verb']): boolean {
    return this.world.instruction.open.some((command) => command.strict && command.verb === verb);
  }

  /** Walks until something lies in the way. It is dealt with, and the result is false: the route has to be found anew. */
  #follow({ poses }: Route, targets: ReadonlySet<number>): boolean {
    const { world } = this;
    for (const pose of poses) {
      const turn = ((pose & 3) - world.direction + 4) % 4;
      if (turn !== 0) {
        this.#act(turn === 1 ? action.right : action.left);
        continue;
      }
      const { ahead } = world;
      if (ahead !== undefined && !ahead.passable) {
        if (ahead.kind !== 'door') {
          this.#clear(targets, poses);
          return false;
        }
        this.#act(action.toggle);
      }
      this.#act(action.forward);
    }
    return true;
  }

  // --- Things in the way ------------------------------------------------------------------------------------------

  /** Takes what is ahead out of the way. It stays in the hands if nothing else is needed there. */
  #clear(targets: ReadonlySet<number>, poses: readonly number[]): void {
    if (this.#mayNot('pick up')) return this.#act(action.toggle);
    const { carrying } = this.world;
    if (carrying === undefined) return this.#act(action.pickup);
    const isNeeded = carrying === this.#needed;
    const { ahead } = this.world;
    this.#putDown(this.#way(poses));
    if (isNeeded && this.#clearsFirst) this.#openWay(targets);
    else this.#takeAway(ahead as Thing, this.#way(poses), isNeeded);
    if (!isNeeded) return;
    this.#fetch([carrying]);
    this.#needed = carrying;
  }

  get #clearsFirst(): boolean {
    return this.habits.variant % 2 === 1;
  }

  #takeAway(thing: Thing, way: ReadonlySet<number>, putsDown: boolean): void {
    this.#goTo([thing]);
    if (this.world.carrying !== undefined) return;
    this.#act(action.pickup);
    if (putsDown) this.#putDown(way);
  }

  /** Moves everything away that is in the way, before something is carried along it. */
  #openWay(targets: ReadonlySet<number>): void {
    this.#needed = undefined;
    for (let attempt = 0; attempt < mostDetours; attempt += 1) {
      const route = this.#route(targets);
      if (route === undefined) throw new Stuck();
      const way = this.#way(route.poses);
      const [obstacle] = [...way].map((cell) => this.world.grid.cells[cell]).filter((thing) => thing?.portable);
      if (obstacle === undefined) return;
      if (this.world.carrying === undefined) {
        this.#goTo([obstacle]);
        if (this.world.carrying === undefined) this.#act(action.pickup);
      }
      this.#putDown(way);
    }
    throw new Stuck();
  }

  /** Lays down what is in the hands, at a near place where it blocks nothing. */
  #putDown(reserved: ReadonlySet<number> = new Set()): void {
    const { grid, aheadX, aheadY } = this.world;
    const free = [...grid.cells.keys()].filter((cell) => grid.cells[cell] === undefined);
    const apart = free.filter((cell) => !reserved.has(cell));
    const harmless = apart.filter((cell) => {
      const x = cell % grid.width;
      return blocksNothing(grid, x, (cell - x) / grid.width);
    });
    const elsewhere = free.filter((cell) => cell !== aheadY * grid.width + aheadX);
    for (const places of [harmless.filter((cell) => this.#likes(cell)), harmless, apart, elsewhere, free]) {
      const allowed = new Set(places);
      const route = findRoute(this.world, (cell) => allowed.has(cell), (thing) => this.#entryCost(thing, true));
      if (route === undefined) continue;
      this.#follow(route, allowed);
      this.#act(action.drop);
      return;
    }
    throw new Stuck();
  }

  #likes(cell: number): boolean {
    const { variant } = this.habits;
    return variant < 2 || (Math.imul(cell + 1, variant * 2 + 2_654_435_761) >>> 16) % 3 === 0;
  }

  // --- Doors and keys ---------------------------------------------------------------------------------------------

  /** Keys, and boxes with one inside, wherever they are. */
  #keysOf(door: Thing): readonly Thing[] {
    const { grid, carrying } = this.world;
    const isKey = (thing: Thing | undefined) => thing?.kind === 'key' && thing.colour === door.colour;
    return [carrying, ...grid.cells].filter(
      (thing): thing is Thing => thing !== undefined && (isKey(thing) || isKey(thing.content)),
    );
  }

  /** Fetches the key of a door, unlocks it, and takes up again what is needed. */
  #unlock(door: Thing): void {
    const { carrying } = this.world;
    const needed = carrying !== undefined && carrying === this.#needed ? carrying : undefined;
    this.#shut.add(door);
    if (!this.world.hasKeyOf(door)) this.#fetchKey(door);
    this.#needed = this.world.carrying;
    this.#goTo([door]);
    this.#act(action.toggle);
    this.#shut.delete(door);
    this.#needed = undefined;
    if (needed === undefined) return;
    this.#fetch([needed]);
    this.#needed = needed;
  }

  #fetchKey(door: Thing): void {
    const holders = this.#keysOf(door);
    const keys = holders.filter(({ kind }) => kind === 'key');
    if (keys.length > 0) return this.#fetch(keys);
    if (holders.length === 0) throw new Stuck();
    if (this.world.carrying !== undefined) this.#putDown();
    this.#goTo(holders);
    const { content } = this.world.ahead as Thing;
    this.#act(action.toggle);
    this.#fetch([content as Thing]);
  }

  #open(doors: readonly Thing[]): void {
    const ready = doors.filter((door) => door.state !== 'locked' || this.world.hasKeyOf(door));
    if (ready.length > 0) {
      this.#goTo(ready);
      if (this.world.ahead?.state === 'open') this.#act(action.toggle);
      this.#act(action.toggle);
      return;
    }
    const [door] = doors.filter((candidate) => this.#keysOf(candidate).length > 0);
    if (door === undefined) throw new Stuck();
    this.#unlock(door);
  }

  // --- Carrying ---------------------------------------------------------------------------------------------------

  /** Takes one of the things into the hands, unless one is there. */
  #fetch(things: readonly Thing[]): void {
    const { carrying } = this.world;
    if (carrying !== undefined && things.includes(carrying)) return;
    this.#pickUpAnew(things);
  }

  /** Picks one of the things up, with hands that were empty before. */
  #pickUpAnew(things: readonly Thing[]): void {
    const { grid, carrying } = this.world;
    this.#needed = undefined;
    if (carrying !== undefined && things.includes(carrying)) this.#putDown();
    for (let attempt = 0; attempt < mostDetours; attempt += 1) {
      this.#costToClear = Math.min(costToMove + attempt * costOfAttempt, greatestCost);
      this.#goTo(
        things.filter((thing) => grid.holds(thing)),
        true,
      );
      this.#costToClear = costToTake;
      if (this.world.carrying === undefined) return this.#act(action.pickup);
      // Something was in the way, and is in the hands now.
    }
    throw new Stuck();
  }

  #put(command: PutNext): void {
    for (let attempt = 0; attempt < mostDetours; attempt += 1) {
      if (this.#clearsFirst && !command.isHalfDone(this.world)) this.#openWayFor(command);
      this.#fetch(command.moved.things);
      const moved = this.world.carrying as Thing;
      this.#needed = moved;
      const beside = this.#cellsBeside(command, moved);
      const free = beside.filter(({ x, y }) => this.world.grid.get(x, y) === undefined);
      if (this.#route(this.#cellsOf(free)) === undefined) {
        this.#makeRoom(beside, moved);
        continue;
      }
      this.#goTo(free);
      if (this.world.carrying !== moved) continue;
      if (!command.hasSeen(moved)) this.#turnAndBack();
      return this.#act(action.drop);
    }
    throw new Stuck();
  }

  #openWayFor(command: PutNext): void {
    const free = this.#cellsBeside(command, undefined).filter(({ x, y }) => this.world.grid.get(x, y) === undefined);
    if (this.#route(this.#cellsOf(free)) !== undefined) this.#openWay(this.#cellsOf(free));
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

  /** Moves something away that lies where the thing should be put. */
  #makeRoom(beside: readonly Place[], moved: Thing): void {
    const { grid } = this.world;
    const obstacles = beside
      .map(({ x, y }) => grid.get(x, y))
      .filter((thing): thing is Thing => thing !== undefined && thing.portable);
    if (obstacles.length === 0) throw new Stuck();
    const reserved = this.#cellsOf(beside);
    this.#putDown(reserved);
    this.#pickUpAnew(obstacles);
    this.#putDown(reserved);
    this.#fetch([moved]);
  }
}
