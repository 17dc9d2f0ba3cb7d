// What it takes to get something done in a copy of the world: walking, clearing the way, unlocking, carrying.
import type { Command } from '../instructions/instruction.js';
import type { Place, Thing } from '../world/thing.js';
import { action, type Action, type Outcome } from '../world/world-state.js';
import type { GridWorld } from '../world/world.js';
import { findRoute, greatestCost, type Route } from './find-route.js';
import { blocksNothing } from './put-down-places.js';

/** Thrown when the episode of the copy ends. */
export class Ended extends Error {
  constructor(readonly outcome: Outcome) {
    super();
  }
}

/** Thrown when a plan leads nowhere. */
export class Stuck extends Error {}

/** Actions of a plan. The longest levels need some hundreds. */
const mostActions = 3000;
/** Attempts at one deed before it counts as leading nowhere. */
export const mostDetours = 60;
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

/** Plays a copy of a world, which it uses up, and notes its actions. Its deeds throw `Ended` or `Stuck`. */
export class Mover {
  protected readonly actions: Action[] = [];
  /** What must not stay behind when something is in the way. */
  protected needed: Thing | undefined;
  /** What something in the way costs while the hands are empty. */
  #costToClear = costToTake;
  /** Doors whose keys are being fetched. */
  readonly #shut = new Set<Thing>();

  constructor(
    readonly world: GridWorld,
    readonly habits: Habits,
  ) {}

  protected act(given: Action): void {
    if (this.actions.length >= mostActions) throw new Stuck();
    this.actions.push(given);
    const outcome = this.world.step(given);
    if (outcome !== undefined) throw new Ended(outcome);
  }

  protected turnAndBack(): void {
    this.act(action.left);
    this.act(action.right);
  }

  /**
   * Stands before one of the places. Opens doors, fetches keys and clears the way as needed.
   * @param freeHands what is in the hands is put down at once, and not only where it is in the way
   */
  protected goTo(places: readonly Place[], freeHands = false): void {
    const targets = this.cellsOf(places);
    for (let detour = 0; detour < mostDetours; detour += 1) {
      const route = this.route(targets);
      if (route === undefined) throw new Stuck();
      const locked = this.#lockedOn(route);
      if (locked !== undefined) this.unlock(locked);
      else if (freeHands && this.world.carrying !== undefined) this.putDown(this.#way(route));
      else if (this.#follow(route, targets)) return;
    }
    throw new Stuck();
  }

  /** Walks until something lies in the way. It is dealt with, and the result is false: the route has to be found anew. */
  #follow(poses: Route, targets: ReadonlySet<number>): boolean {
    const { world } = this;
    for (const pose of poses) {
      const turn = ((pose & 3) - world.direction + 4) % 4;
      if (turn !== 0) {
        this.act(turn === 1 ? action.right : action.left);
        continue;
      }
      const { ahead } = world;
      if (ahead !== undefined && !ahead.passable) {
        if (ahead.kind !== 'door') {
          this.#clear(targets, poses);
          return false;
        }
        this.act(action.toggle);
      }
      this.act(action.forward);
    }
    return true;
  }

  /** The first door of a route that needs a key which is not in the hands. */
  #lockedOn(poses: Route): Thing | undefined {
    const things = poses.map((pose) => this.world.grid.cells[pose >> 2]);
    return things.find((thing) => thing?.state === 'locked' && !this.world.hasKeyOf(thing));
  }

  protected route(targets: ReadonlySet<number>): Route | undefined {
    if (targets.size === 0) return undefined;
    return findRoute(
      this.world,
      (cell) => targets.has(cell),
      (thing) => this.#entryCost(thing, false),
    );
  }

  #entryCost(thing: Thing | undefined, onlyFree: boolean): number | undefined {
    if (thing === undefined || thing.passable) return 0;
    if (thing.kind === 'wall') return undefined;
    if (thing.kind === 'door') {
      if (this.#mayNot('open') || this.#shut.has(thing)) return undefined;
      if (thing.state === 'closed' || this.world.hasKeyOf(thing)) return 1;
      return onlyFree || this.keysOf(thing).length === 0 ? undefined : costToUnlock;
    }
    if (onlyFree) return undefined;
    if (this.#mayNot('pick up')) return thing.kind === 'box' ? 1 : undefined;
    return this.world.carrying === undefined ? this.#costToClear : Math.max(costToMove, this.#costToClear);
  }

  /** Strict commands end the episode when another door or thing is touched. */
  #mayNot(verb: Command['verb']): boolean {
    return this.world.instruction.open.some((command) => command.strict && command.verb === verb);
  }

  protected cellsOf(places: readonly Place[]): ReadonlySet<number> {
    return new Set(places.map(({ x, y }) => y * this.world.grid.width + x));
  }

  /** The cells of a way from here. */
  #way(poses: readonly number[]): ReadonlySet<number> {
    const { x, y, grid } = this.world;
    return new Set([y * grid.width + x, ...poses.map((pose) => pose >> 2)]);
  }

  /** Takes what is ahead out of the way. It stays in the hands if nothing else is needed there. */
  #clear(targets: ReadonlySet<number>, poses: readonly number[]): void {
    if (this.#mayNot('pick up')) return this.act(action.toggle);
    const { carrying } = this.world;
    if (carrying === undefined) return this.act(action.pickup);
    const isNeeded = carrying === this.needed;
    const { ahead } = this.world;
    this.putDown(this.#way(poses));
    if (isNeeded && this.clearsFirst) this.openWay(targets);
    else this.#takeAway(ahead as Thing, this.#way(poses), isNeeded);
    if (!isNeeded) return;
    this.fetch([carrying]);
    this.needed = carrying;
  }

  protected get clearsFirst(): boolean {
    return this.habits.variant % 2 === 1;
  }

  #takeAway(thing: Thing, way: ReadonlySet<number>, putsDown: boolean): void {
    this.goTo([thing]);
    if (this.world.carrying !== undefined) return;
    this.act(action.pickup);
    if (putsDown) this.putDown(way);
  }

  /** Moves everything away that is in the way, before something is carried along it. */
  protected openWay(targets: ReadonlySet<number>): void {
    this.needed = undefined;
    for (let attempt = 0; attempt < mostDetours; attempt += 1) {
      const route = this.route(targets);
      if (route === undefined) throw new Stuck();
      const way = this.#way(route);
      const [obstacle] = [...way].map((cell) => this.world.grid.cells[cell]).filter((thing) => thing?.portable);
      if (obstacle === undefined) return;
      if (this.world.carrying === undefined) {
        this.goTo([obstacle]);
        if (this.world.carrying === undefined) this.act(action.pickup);
      }
      this.putDown(way);
    }
    throw new Stuck();
  }

  /** Lays down what is in the hands, at a near place where it blocks nothing. */
  protected putDown(reserved: ReadonlySet<number> = new Set()): void {
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
      const route = findRoute(
        this.world,
        (cell) => allowed.has(cell),
        (thing) => this.#entryCost(thing, true),
      );
      if (route === undefined) continue;
      this.#follow(route, allowed);
      this.act(action.drop);
      return;
    }
    throw new Stuck();
  }

  #likes(cell: number): boolean {
    const { variant } = this.habits;
    return variant < 2 || (Math.imul(cell + 1, variant * 2 + 2_654_435_761) >>> 16) % 3 === 0;
  }

  /** Keys, and boxes with one inside, wherever they are. */
  protected keysOf(door: Thing): readonly Thing[] {
    const { grid, carrying } = this.world;
    const isKey = (thing: Thing | undefined) => thing?.kind === 'key' && thing.colour === door.colour;
    return [carrying, ...grid.cells].filter(
      (thing): thing is Thing => thing !== undefined && (isKey(thing) || isKey(thing.content)),
    );
  }

  /** Fetches the key of a door, unlocks it, and takes up again what is needed. */
  protected unlock(door: Thing): void {
    const { carrying } = this.world;
    const needed = carrying !== undefined && carrying === this.needed ? carrying : undefined;
    this.#shut.add(door);
    if (!this.world.hasKeyOf(door)) this.#fetchKey(door);
    this.needed = this.world.carrying;
    this.goTo([door]);
    this.act(action.toggle);
    this.#shut.delete(door);
    this.needed = undefined;
    if (needed === undefined) return;
    this.fetch([needed]);
    this.needed = needed;
  }

  #fetchKey(door: Thing): void {
    const holders = this.keysOf(door);
    const keys = holders.filter(({ kind }) => kind === 'key');
    if (keys.length > 0) return this.fetch(keys);
    if (holders.length === 0) throw new Stuck();
    if (this.world.carrying !== undefined) this.putDown();
    this.goTo(holders);
    const { content } = this.world.ahead as Thing;
    this.act(action.toggle);
    this.fetch([content as Thing]);
  }

  /** Takes one of the things into the hands, unless one is there. */
  protected fetch(things: readonly Thing[]): void {
    const { carrying } = this.world;
    if (carrying !== undefined && things.includes(carrying)) return;
    this.pickUpAnew(things);
  }

  /** Picks one of the things up, with hands that were empty before. */
  protected pickUpAnew(things: readonly Thing[]): void {
    const { grid, carrying } = this.world;
    this.needed = undefined;
    if (carrying !== undefined && things.includes(carrying)) this.putDown();
    for (let attempt = 0; attempt < mostDetours; attempt += 1) {
      this.#costToClear = Math.min(costToMove + attempt * costOfAttempt, greatestCost);
      this.goTo(
        things.filter((thing) => grid.holds(thing)),
        true,
      );
      this.#costToClear = costToTake;
      if (this.world.carrying === undefined) return this.act(action.pickup);
      // Something was in the way, and is in the hands now.
    }
    throw new Stuck();
  }
}
