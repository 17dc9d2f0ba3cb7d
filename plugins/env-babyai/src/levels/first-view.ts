import { View } from '../world/view.js';
import type { GeneratedLevel } from './generate-level.js';

/**
 * What the agent sees first. In the original this is drawn before the thing is put into the agent's hands that it
 * carries at the start, so the thing seems to lie where it was.
 */
export function firstView(level: GeneratedLevel): View {
  const view = new View();
  const { grid, carrying, carriedFrom } = level;
  if (carriedFrom === undefined) {
    view.look(grid, level);
    return view;
  }
  grid.set(carriedFrom.x, carriedFrom.y, carrying);
  view.look(grid, { ...level, carrying: undefined });
  grid.set(carriedFrom.x, carriedFrom.y, undefined);
  return view;
}
