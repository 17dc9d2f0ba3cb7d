import { colours } from './thing.js';
import type { GridWorld } from './world.js';

/** Codes of cells become letters from here on. */
const firstLetter = 0x100;

/** Equal for two worlds exactly if they have the same future, apart from the number of steps. */
export function worldKey(world: GridWorld): string {
  const { grid, x, y, direction, carrying, instruction, maxSteps, rules } = world;
  let cells = '';
  let contents = '';
  for (const thing of grid.cells) {
    cells += String.fromCharCode(firstLetter + (thing === undefined ? 0 : packed(thing.code)));
    if (thing?.content !== undefined) contents += `${thing.x},${thing.y}:${thing.content.code} `;
  }
  const held = carrying === undefined ? '' : `${carrying.code}:${carrying.content?.code ?? ''}`;
  const numbers = [grid.width, x, y, direction, maxSteps].join(' ');
  return `${rules} ${numbers} ${held} ${contents}${instruction.words} ${instruction.key(world)} ${cells}`;
}

/** Kind, colour and state in 8 bits. */
function packed(code: number): number {
  return (code & 7) + 8 * ((code >> 8) & 7) + 8 * colours.length * (code >> 16);
}
