// What instructions know of a world, and what can be done in it.
import type { Direction } from './direction.js';
import type { Grid } from './grid.js';
import type { Thing } from './thing.js';

/** Actions by number, as in the original. */
export const actionNames = ['left', 'right', 'forward', 'pickup', 'drop', 'toggle', 'done'] as const;
export type ActionName = (typeof actionNames)[number];
export type Action = 0 | 1 | 2 | 3 | 4 | 5 | 6;
export const action = {
  left: 0,
  right: 1,
  forward: 2,
  pickup: 3,
  drop: 4,
  toggle: 5,
  done: 6,
} as const satisfies Record<ActionName, Action>;

/** The end of an episode. `failure`: a strict instruction forbade what was done. */
export type Outcome = 'success' | 'failure' | undefined;

/** What an instruction can see of the world. */
export interface WorldState {
  readonly grid: Grid;
  readonly x: number;
  readonly y: number;
  readonly direction: Direction;
  readonly carrying: Thing | undefined;
  /** The thing ahead of the agent. */
  readonly ahead: Thing | undefined;
  readonly aheadX: number;
  readonly aheadY: number;
  readonly rules: Rules;
}

/**
 * `original`: the step that carries out the first of two strict commands is also held against the second, so that nobody
 * can open two doors one after the other. `fair`: it is not.
 */
export type Rules = 'original' | 'fair';
