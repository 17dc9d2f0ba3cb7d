// What instructions have in common: minigrid/envs/babyai/core/verifier.py.
import type { Thing } from '../world/thing.js';
import type { Action, WorldState } from '../world/world-state.js';
import type { Description, Standpoint } from './description.js';

export type GoalVerdict = 'success' | 'failure' | 'continue';

/** A command to the agent. It notices by itself when it is carried out. */
export interface Instruction {
  /** In words, as the agent is told it. */
  readonly words: string;
  /** How often the agent has to go somewhere; limits of steps are multiples of it. */
  readonly ways: number;
  /** Its single commands in the order of the words. */
  readonly commands: readonly Command[];
  /** Of `commands`, those that the next steps can carry out; the others come later or are done. */
  readonly open: readonly Command[];
  /** Finds the things that it speaks of, at the start of an episode. */
  begin(from: Standpoint): void;
  /** Whether it is carried out, or became impossible, with this action. Called after every step. */
  verify(action: Action, state: WorldState): GoalVerdict;
  /** Looks again where the things are; called after something was dropped. */
  followThings(state: WorldState): void;
  /** In a copy of the world. */
  copy(copyOf: (thing: Thing) => Thing): Instruction;
  /** Everything that the rest of the episode depends on, besides the world. */
  key(state: WorldState): string;
}

/** A single command: go to, open, pick up, put next. */
export interface Command extends Instruction {
  readonly verb: 'go to' | 'open' | 'pick up' | 'put';
  /** What to go to, open, pick up or put somewhere; then what to put it next to. */
  readonly descriptions: readonly Description[];
  /** The wrong door or the wrong thing ends the episode. */
  readonly strict: boolean;
  readonly isDone: boolean;
  /** Halfway: what `put` moves is in the agent's hands. */
  isHalfDone(state: WorldState): boolean;
}
