import type { TaskFacts } from '@agentgym/cli';

import type { Action } from '../logic/logic.js';
import { clusterOf, type Structure } from './cluster.js';

/**
 * The cluster of a game, and its labels: the sizes of its world and of its quests, and the verbs that the quests take.
 * It needs no words, so a generated game can be asked before it is written.
 */
export function aboutGame(game: Structure): TaskFacts {
  const types = new Map<string, string>();
  for (const { entities } of game.facts) for (const { id, type } of entities) types.set(id, type);
  let rooms = 0;
  let objects = 0;
  for (const type of types.values()) {
    if (type === 'r') rooms += 1;
    else if (!notObjects.has(type)) objects += 1;
  }
  // A quest's actions begin with those of the quests before it.
  const actions = new Set<Action>();
  for (const { wins } of game.quests) for (const action of wins[0]?.actions ?? []) actions.add(action);
  const different = new Set<string>();
  const verbs = new Set<string>();
  for (const { rule, before, command = rule } of actions) {
    different.add(JSON.stringify([rule, before.map(({ entities }) => entities.map(({ id }) => id))]));
    verbs.add(command.split(' ', 1)[0] ?? '');
  }
  return {
    cluster: clusterOf(game),
    labels: { rooms, objects, questLength: different.size, commands: [...verbs].sort().join(' ') },
  };
}

/** Doors, the constants, and what cooking games need for their book-keeping. */
const notObjects: ReadonlySet<string> = new Set(['d', 'P', 'I', 'RECIPE', 'slot', 'ingredient']);
