import type { Action } from './world-state.js';

/** Low-level actions as a text of digits. */
export const writeMoves = (moves: readonly Action[]): string => moves.join('');
export const readMoves = (digits: string): Action[] => Array.from(digits, (digit) => Number(digit) as Action);
