import type { WorldHandle } from './world-handle.js';

/** Right answers of a task; undefined if its world tells none. */
export async function referencesOf(
  task: string,
  world: Pick<WorldHandle, 'about' | 'tells'>,
): Promise<readonly string[] | undefined> {
  if (!world.tells) return undefined;
  const [told] = await world.about([task]);
  return told?.references;
}
