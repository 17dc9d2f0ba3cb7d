import type { WorldState } from '../world/world-state.js';
import type { Instruction } from './instruction.js';

/** A command counts one, `put` two: the thing is in the hands, and it is put down where it should be. */
export function countMilestones(instruction: Instruction, state: WorldState): { reached: number; total: number } {
  let reached = 0;
  for (const command of instruction.commands) {
    if (command.isDone) reached += command.ways;
    else if (instruction.open.includes(command) && command.isHalfDone(state)) reached += 1;
  }
  return { reached, total: instruction.ways };
}
