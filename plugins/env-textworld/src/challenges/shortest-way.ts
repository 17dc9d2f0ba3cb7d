// The shortest way between two rooms that the original takes among several (`move` in `tw_cooking/cooking.py`).
import type { MadeRoom, Passage, WorldMaker } from './world-maker.js';

/** Passages of a room, those along the axis of the world's first passage before the others. */
function passagesOf(world: WorldMaker, room: MadeRoom): Passage[] {
  const isUpright = ({ direction }: Passage): boolean => direction === 'north' || direction === 'south';
  const [first] = world.passages;
  const passages = Array.from(room.exits.values());
  if (!first) return passages;
  const isFirst = (passage: Passage): boolean => isUpright(passage) === isUpright(first);
  return [...passages.filter(isFirst), ...passages.filter((passage) => !isFirst(passage))];
}

/**
 * Searches from both ends in turn, level by level, as networkx does. Where the original's choice depends on the order
 * of a set (exits in opposite directions), the exit that was made first is taken.
 *
 * @throws Error if the rooms are not connected
 */
export function shortestWay(world: WorldMaker, from: MadeRoom, to: MadeRoom): Passage[] {
  if (from === to) return [];
  const forward = { edge: [from], reached: new Map<MadeRoom, Passage | undefined>([[from, undefined]]) };
  const backward = { edge: [to], reached: new Map<MadeRoom, Passage | undefined>([[to, undefined]]) };
  while (forward.edge.length > 0 && backward.edge.length > 0) {
    const [side, otherSide] = forward.edge.length <= backward.edge.length ? [forward, backward] : [backward, forward];
    const level = side.edge;
    side.edge = [];
    for (const room of level) {
      for (const passage of passagesOf(world, room)) {
        const next = passage.beyond(room);
        if (!side.reached.has(next)) {
          side.edge.push(next);
          side.reached.set(next, passage);
        }
        if (otherSide.reached.has(next)) {
          return [...passagesBack(forward.reached, next).reverse(), ...passagesBack(backward.reached, next)];
        }
      }
    }
  }
  throw new Error(`There is no way from ${from.name} to ${to.name}.`);
}

/** The passages from a room back to where a search started. */
function passagesBack(reached: ReadonlyMap<MadeRoom, Passage | undefined>, room: MadeRoom): Passage[] {
  const way: Passage[] = [];
  let at = room;
  for (let passage = reached.get(at); passage; passage = reached.get(at)) {
    way.push(passage);
    at = passage.beyond(at);
  }
  return way;
}
