import type { Draw, Environment, Json, StepResult, World } from '@agentgym/cli';

import type { Options } from './options.js';
import { listTasks, parseTask, same, type Delivery, type Square } from './tasks.js';

/** The state of a game; JSON, so that it can be stored and restored. */
interface State extends Delivery {
  readonly courier: Square;
  readonly carrying: boolean;
  readonly delivered: boolean;
  readonly turnsLeft: number;
  /** Length of the shortest way from the start, and from the nearest point that the courier ever reached. */
  readonly whole: number;
  readonly nearest: number;
}

const directions: { readonly [action: string]: Square } = {
  north: { column: 0, row: 1 },
  south: { column: 0, row: -1 },
  east: { column: 1, row: 0 },
  west: { column: -1, row: 0 },
};
const actions = [...Object.keys(directions), 'take', 'drop'];

const walk = (a: Square, b: Square): number => Math.abs(a.column - b.column) + Math.abs(a.row - b.row);

/** A direction towards the goal, along the row first. Undefined at the goal. */
function directionTo(from: Square, goal: Square): string | undefined {
  if (from.column !== goal.column) return from.column < goal.column ? 'east' : 'west';
  if (from.row !== goal.row) return from.row < goal.row ? 'north' : 'south';
  return undefined;
}

/** The way from one square to another, such as `2 east, 1 south`. */
function whereabouts(from: Square, to: Square): string {
  const [east, north] = [to.column - from.column, to.row - from.row];
  const parts = [
    ...(east === 0 ? [] : [`${Math.abs(east)} ${east > 0 ? 'east' : 'west'}`]),
    ...(north === 0 ? [] : [`${Math.abs(north)} ${north > 0 ? 'north' : 'south'}`]),
  ];
  return parts.join(', ') || 'here';
}

/** Number of actions still needed. */
function remaining({
  courier,
  parcel,
  door,
  carrying,
  delivered,
}: Omit<State, 'turnsLeft' | 'whole' | 'nearest'>): number {
  if (delivered) return 0;
  return carrying ? walk(courier, door) + 1 : walk(courier, parcel) + 1 + walk(parcel, door) + 1;
}

/** The state at the start of a game. */
const atFirst = ({ start }: Delivery) => ({ courier: start, carrying: false, delivered: false });

/** A courier fetches a parcel and drops it at a door, within a number of turns that the first observation states. */
class Game implements Environment {
  readonly #options: Options;
  #state: State;

  constructor(options: Options) {
    this.#options = options;
    const nowhere = { column: 0, row: 0 };
    this.#state = this.#begin({ start: nowhere, parcel: nowhere, door: nowhere });
  }

  reset(task: string): string {
    this.#state = this.#begin(parseTask(task, this.#options));
    return `You have ${this.#state.turnsLeft} turns. ${this.#view()}`;
  }

  step(action: string): StepResult {
    const before = this.#state;
    const after = this.#apply(action);
    const turnsLeft = Math.max(0, before.turnsLeft - 1);
    const nearest = Math.min(before.nearest, remaining(after ?? before));
    this.#state = { ...(after ?? before), turnsLeft, nearest };
    const { delivered: success, parcel, whole } = this.#state;
    const reached = success ? 2 : this.#state.carrying ? 1 : 0;
    return {
      observation: success ? 'Thank you.' : after === undefined ? `You cannot. ${this.#view()}` : this.#view(),
      reward: success && !before.delivered ? 1 : 0,
      // The turns are part of the rules, so running out of them ends the game instead of truncating it.
      terminated: success || turnsLeft === 0,
      truncated: false,
      // Edit here: facts only. A reward scheme decides their worth.
      facts: {
        success,
        invalid: after === undefined,
        progress: 1 - nearest / whole,
        milestones: { reached, total: 2 },
        details: { parcel: { ...parcel } },
      },
    };
  }

  // Edit here: `oracle` plays best, `demonstrator` gives the demonstrations. If it makes mistakes, reinforcement
  // learning has something to improve.
  act(player: string, { random }: Draw): string {
    const { courier, door, carrying } = this.#state;
    switch (player) {
      case 'oracle':
        return this.#wayOn();
      case 'demonstrator': {
        const forgets = !carrying && random.uniform() < this.#options.forgetting;
        return (forgets ? directionTo(courier, door) : undefined) ?? this.#wayOn();
      }
      case 'random':
        return random.choice(actions);
      default:
        throw new Error(`there is no player "${player}"`);
    }
  }

  admissible(): readonly string[] {
    return this.#state.delivered ? [] : actions.filter((action) => this.#apply(action) !== undefined);
  }

  /** What decides the future. How near the courier once was only describes the way here. */
  stateKey(): string {
    const { courier, parcel, door, carrying, delivered, turnsLeft } = this.#state;
    return JSON.stringify([courier, parcel, door, carrying, delivered, turnsLeft]);
  }

  snapshot(): Json {
    return structuredClone(this.#state) as unknown as Json;
  }

  restore(state: Json): void {
    this.#state = structuredClone(state) as unknown as State;
  }

  #begin(delivery: Delivery): State {
    const state = { ...delivery, ...atFirst(delivery) };
    const whole = remaining(state);
    return { ...state, turnsLeft: whole + this.#options.spare, whole, nearest: whole };
  }

  #view(): string {
    const { courier, parcel, door, carrying } = this.#state;
    return `${carrying ? 'You have the parcel' : `Parcel: ${whereabouts(courier, parcel)}`}. Door: ${whereabouts(courier, door)}.`;
  }

  /** The state after an action, which may be any text; undefined if it is not an action, or impossible now. */
  #apply(action: string): State | undefined {
    const { courier, parcel, door, carrying, delivered } = this.#state;
    if (delivered) return undefined;
    if (action === 'take') {
      return !carrying && same(courier, parcel) ? { ...this.#state, carrying: true } : undefined;
    }
    if (action === 'drop') {
      return carrying && same(courier, door) ? { ...this.#state, carrying: false, delivered: true } : undefined;
    }
    // Reads own keys only, because an action may be any text, such as `constructor`.
    const by = Object.hasOwn(directions, action) ? directions[action] : undefined;
    if (by === undefined) return undefined;
    const to = { column: courier.column + by.column, row: courier.row + by.row };
    const inside = Math.min(to.column, to.row) >= 0 && Math.max(to.column, to.row) < this.#options.size;
    return inside ? { ...this.#state, courier: to } : undefined;
  }

  /** The next action of a shortest way. */
  #wayOn(): string {
    const { courier, parcel, door, carrying } = this.#state;
    return directionTo(courier, carrying ? door : parcel) ?? (carrying ? 'drop' : 'take');
  }
}

export function open(options: Options): World {
  return {
    // Edit here: the rules that the policy reads.
    instructions: `You are a courier. Say ${actions.slice(0, -1).join(', ')} or ${actions.at(-1)}.`,
    splits: listTasks(options),
    // Edit here: the labels by which results are split.
    about(task) {
      const delivery = parseTask(task, options);
      return { labels: { way: remaining({ ...delivery, ...atFirst(delivery) }) } };
    },
    experts: ['oracle', 'demonstrator'],
    create: () => new Game(options),
  };
}
