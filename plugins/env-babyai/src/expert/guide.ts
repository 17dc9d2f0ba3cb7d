// The oracle in words: what an agent that knows everything would write next.
import type { LevelEpisode } from '../episode/episode.js';
import { stepX, stepY, turnLeft, turnRight, type Direction } from '../world/direction.js';
import { action, type Action } from '../world/world-state.js';
import type { GridWorld } from '../world/world.js';
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

/** Where a plan leads before anything is moved or opened. */
interface Walk {
  /** By cell: how many actions bring the agent there at last, and how it stands then. */
  readonly stops: ReadonlyMap<number, { readonly after: number; readonly direction: Direction }>;
  /** Cells of the things that the plan picks up, toggles, walks through or faces at its end. */
  readonly targets: ReadonlySet<number>;
}

export class Guide {
  #plan: Plan | undefined;

  constructor(readonly episode: LevelEpisode) {}

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
      const isKept = moves.length >= plan.madeAt && since.every((move, at) => move === plan.actions[at]);
      if (isKept && since.length < plan.actions.length) return plan.actions.slice(since.length);
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
    const walk = walkOf(copyWorld(episode.world), plan);
    let best: { words: string; left: number; actions: readonly Action[] } | undefined;
    for (const [words, moves] of entries) {
      const { cell, target } = endOf(episode.world, moves);
      if (!walk.stops.has(cell) && !walk.targets.has(target)) continue;
      const copy = copyWorld(episode.world);
      const outcome = episode.simulate(copy, moves);
      const taken = moves.slice(0, copy.steps - episode.world.steps);
      const rest =
        outcome === 'success'
          ? []
          : outcome === undefined
            ? (joinPlan(copy, taken, plan, walk) ?? solve(copy))
            : undefined;
      if (rest === undefined || rest.length >= plan.length) continue;
      if (taken.length + rest.length > plan.length + mostExtra) continue;
      if (best === undefined || rest.length < best.left)
        best = { words, left: rest.length, actions: [...taken, ...rest] };
    }
    if (best === undefined) return undefined;
    this.#plan = { actions: best.actions, madeAt: episode.moves.length };
    return best.words;
  }
}

function walkOf(copy: GridWorld, plan: readonly Action[]): Walk {
  const { width } = copy.grid;
  const stops = new Map<number, { after: number; direction: Direction }>();
  const targets = new Set<number>();
  let isWalking = true;
  for (const [after, move] of plan.entries()) {
    const acts = !isWalk(move);
    isWalking &&= !acts;
    if (acts || (move === action.forward && copy.ahead?.kind === 'door')) {
      targets.add(copy.aheadY * width + copy.aheadX);
      if (targets.size >= mostTargets) return { stops, targets };
    }
    copy.step(move);
    if (isWalking) stops.set(copy.y * width + copy.x, { after: after + 1, direction: copy.direction });
  }
  targets.add(copy.aheadY * width + copy.aheadX);
  return { stops, targets };
}

/** What is left of a plan for an agent that walked to one of its stops; undefined if it did not, or did more. */
function joinPlan(
  world: GridWorld,
  taken: readonly Action[],
  plan: readonly Action[],
  { stops }: Walk,
): readonly Action[] | undefined {
  const stop = stops.get(world.y * world.grid.width + world.x);
  if (stop === undefined || !taken.every(isWalk)) return undefined;
  const turns = { 0: [], 1: [action.right], 2: [action.right, action.right], 3: [action.left] };
  const turn = ((stop.direction - world.direction + 4) & 3) as Direction;
  const rest = [...turns[turn], ...plan.slice(stop.after)];
  // The plan may have gone to something on the way.
  const copy = copyWorld(world);
  return rest.map((move) => copy.step(move)).at(-1) === 'success' ? rest : undefined;
}

const isWalk = (move: Action): boolean => move === action.forward || move === action.left || move === action.right;

/** Where a high-level action leads before it acts, and the cell that it is about: before the agent, or a door around it. */
function endOf(world: GridWorld, moves: readonly Action[]): { readonly cell: number; readonly target: number } {
  const { width } = world.grid;
  let { x, y, direction } = world;
  for (const move of moves) {
    if (move === action.left) direction = turnLeft(direction);
    else if (move === action.right) direction = turnRight(direction);
    else if (move === action.forward) [x, y] = [x + stepX[direction], y + stepY[direction]];
    else break;
  }
  const cell = y * width + x;
  const isDoor = world.grid.get(x, y)?.kind === 'door';
  return { cell, target: isDoor ? cell : (y + stepY[direction]) * width + x + stepX[direction] };
}
