// The oracle in words: what an agent that knows everything would write next.
import type { Episode } from '../episode/episode.js';
import { stepX, stepY, turnLeft, turnRight } from '../world/direction.js';
import { action, type Action, type World } from '../world/world.js';
import { copyWorld } from './copy-world.js';
import { solve } from './solve.js';

/** High-level actions that end with so many more low-level ones than the plan are still taken. */
const mostExtra = 3;
/** Of the things that the plan deals with next, so many are looked up in the menu. */
const mostTargets = 3;

interface Plan {
  readonly actions: readonly Action[];
  /** Actions of the episode when it was made. */
  readonly madeAt: number;
}

export class Guide {
  #plan: Plan | undefined;

  constructor(readonly episode: Episode) {}

  /** The next action; anything where there is no plan. */
  next(): string {
    const { episode } = this;
    const plan = episode.isOver ? undefined : this.#left();
    const [first] = plan ?? [];
    const anything = [...episode.menu.keys()][0] ?? 'left';
    if (plan === undefined || first === undefined) return anything;
    return this.#highLevel(plan) ?? this.#single(first) ?? anything;
  }

  /** What is left of the plan; made anew if the agent left it. */
  #left(): readonly Action[] | undefined {
    const { moves, world } = this.episode;
    const plan = this.#plan;
    if (plan !== undefined) {
      const since = moves.slice(plan.madeAt);
      if (moves.length >= plan.madeAt && since.every((move, at) => move === plan.actions[at])) {
        const left = plan.actions.slice(since.length);
        if (left.length > 0) return left;
      }
    }
    const actions = solve(world);
    this.#plan = actions === undefined ? undefined : { actions, madeAt: moves.length };
    return actions;
  }

  #single(move: Action): string | undefined {
    for (const [words, moves] of this.episode.menu) if (moves.length === 1 && moves[0] === move) return words;
    return undefined;
  }

  /** The entry of the menu that gets farthest along the plan, or along one that is about as short. */
  #highLevel(plan: readonly Action[]): string | undefined {
    const { episode } = this;
    const entries = [...episode.menu].filter(([, moves]) => moves.length > 1);
    if (entries.length === 0) return undefined;
    const targets = targetsOf(copyWorld(episode.world), plan);
    let best: { words: string; left: number; actions: readonly Action[] } | undefined;
    for (const [words, moves] of entries) {
      if (!targets.has(targetOf(episode.world, moves))) continue;
      const copy = copyWorld(episode.world);
      const outcome = episode.simulate(copy, moves);
      const rest = outcome === undefined ? solve(copy) : outcome === 'success' ? [] : undefined;
      if (rest === undefined) continue;
      const taken = moves.slice(0, copy.steps - episode.world.steps);
      if (taken.length + rest.length > plan.length + mostExtra || rest.length >= plan.length) continue;
      if (best === undefined || rest.length < best.left) best = { words, left: rest.length, actions: [...taken, ...rest] };
    }
    if (best === undefined) return undefined;
    this.#plan = { actions: best.actions, madeAt: episode.moves.length };
    return best.words;
  }
}

/** The cells of the things that the plan picks up, toggles, walks through or faces at its end. */
function targetsOf(copy: World, plan: readonly Action[]): ReadonlySet<number> {
  const targets = new Set<number>();
  const add = () => targets.add(copy.aheadY * copy.grid.width + copy.aheadX);
  for (const move of plan) {
    const isDoor = move === action.forward && copy.ahead?.kind === 'door';
    if (move === action.pickup || move === action.toggle || isDoor) add();
    if (targets.size >= mostTargets) return targets;
    copy.step(move);
  }
  add();
  return targets;
}

/** The cell that a high-level action is about: the one that it faces before it acts, or the door that it ends in. */
function targetOf({ x, y, direction, grid }: World, moves: readonly Action[]): number {
  let place = { x, y };
  let facing = direction;
  for (const move of moves) {
    if (move === action.left) facing = turnLeft(facing);
    else if (move === action.right) facing = turnRight(facing);
    else if (move === action.forward) place = { x: place.x + stepX[facing], y: place.y + stepY[facing] };
    else break;
  }
  const isDoor = grid.get(place.x, place.y)?.kind === 'door';
  const target = isDoor ? place : { x: place.x + stepX[facing], y: place.y + stepY[facing] };
  return target.y * grid.width + target.x;
}
