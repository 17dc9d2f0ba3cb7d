import type { TextScene, TextView } from '../contracts/text-view.js';

/** The observation of a text world in a view. Parts stand on lines of their own; the list of actions is the last line. */
export function composeObservation(scene: TextScene, { observe, listActions }: TextView): string {
  const parts = [scene.reply];
  if (observe === 'room') parts.push(...scene.surroundings().filter((text) => !scene.reply.includes(text)));
  const actions = listActions ? scene.actions() : [];
  if (actions.length > 0) parts.push(`Actions: ${actions.join('; ')}`);
  return parts.filter((part) => part !== '').join('\n');
}
