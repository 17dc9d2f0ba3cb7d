// The ways of high-level actions: a breadth-first search over the cells and directions in view.
import { stepX, stepY, turnLeft, turnRight, type Direction } from '../world/direction.js';
import { action, type Action } from '../world/world-state.js';

/** Cells that a search may enter. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Row by row; 1 where nobody can go. */
  readonly blocked: Uint8Array;
}

export interface Pose {
  readonly x: number;
  readonly y: number;
  readonly direction: Direction;
}

export interface Ways {
  /** Moves until the agent faces the cell from beside it; undefined if there is no way. */
  before(x: number, y: number): Action[] | undefined;
  /** Moves until the agent stands in the cell. */
  into(x: number, y: number): Action[] | undefined;
}

const moves = [action.forward, action.left, action.right] as const;
const none = -1;

/**
 * Finds ways from a pose to everywhere.
 * @param revise Until a pose is visited, a later way to it replaces an earlier one. So AgentGym's search does, and some
 * of its ways are longer than they have to be.
 */
export function findWays(start: Pose, area: Area, revise: boolean): Ways {
  const { left, top, width, height, blocked } = area;
  const count = width * height * 4;
  const parents = new Int16Array(count).fill(none);
  const moveTo = new Uint8Array(count);
  const visited = new Uint8Array(count);
  const known = new Uint8Array(count);
  const facing = new Int16Array(width * height).fill(none);
  const standing = new Int16Array(width * height).fill(none);
  const first = ((start.y - top) * width + (start.x - left)) * 4 + start.direction;
  const cellAt = (x: number, y: number) => (x >= 0 && y >= 0 && x < width && y < height ? y * width + x : none);

  known[first] = 1;
  const queue = [first];
  for (let head = 0; head < queue.length; head += 1) {
    const pose = queue[head] as number;
    const cell = pose >> 2;
    const direction = (pose & 3) as Direction;
    const x = cell % width;
    const y = (cell - x) / width;
    const ahead = cellAt(x + stepX[direction], y + stepY[direction]);
    if (visited[pose] === 0) {
      visited[pose] = 1;
      if (standing[cell] === none) standing[cell] = pose;
      if (ahead !== none && facing[ahead] === none) facing[ahead] = pose;
    }
    for (const move of moves) {
      const nextCell = move === action.forward ? ahead : cell;
      if (nextCell === none || blocked[nextCell] === 1) continue;
      const turned =
        move === action.left ? turnLeft(direction) : move === action.right ? turnRight(direction) : direction;
      const next = nextCell * 4 + turned;
      if (visited[next] === 1 || (known[next] === 1 && !revise)) continue;
      known[next] = 1;
      parents[next] = pose;
      moveTo[next] = move;
      queue.push(next);
    }
  }

  const wayTo = (pose: number): Action[] | undefined => {
    if (pose === none) return undefined;
    const way: Action[] = [];
    for (let at = pose; at !== first; at = parents[at] as number) way.push(moveTo[at] as Action);
    return way.reverse();
  };
  const lookUp = (table: Int16Array, x: number, y: number) => {
    const cell = cellAt(x - left, y - top);
    return cell === none ? undefined : wayTo(table[cell] as number);
  };
  return { before: (x, y) => lookUp(facing, x, y), into: (x, y) => lookUp(standing, x, y) };
}
