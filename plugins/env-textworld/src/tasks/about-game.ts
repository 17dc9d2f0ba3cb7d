import type { TaskFacts } from '@agentgym/cli';

import { clusterOf, type Structure } from './cluster.js';

/**
 * The cluster of a game, and its labels: the sizes of its world and of its quests, and the verbs that the quests take.
 * It needs no words, so a generated game can be asked before it is written.
 */
export function aboutGame(game: Structure): TaskFacts {
  const types = new Map(game.facts.flatMap(({ entities }) => entities.map(({ id, type }) => [id, type] as const)));
  let rooms = 0;
  let objects = 0;
  for (const type of types.values()) {
    if (type === 'r') rooms += 1;
    else if (!notObjects.includes(type)) objects += 1;
  }
  // A quest's actions begin with those of the quests before it.
  const actions = new Set<string>();
  const verbs = new Set<string>();
  for (const { wins } of game.quests) {
    for (const { rule, before, command = rule } of wins[0]?.actions ?? []) {
      actions.add(JSON.stringify([rule, before.map(({ entities }) => entities.map(({ id }) => id))]));
      verbs.add(command.split(' ', 1)[0] ?? '');
    }
  }
  return {
    cluster: clusterOf(game),
    labels: { rooms, objects, questLength: actions.size, commands: [...verbs].sort().join(' ') },
  };
}

/** Doors, the constants, and what cooking games need for their book-keeping. */
const notObjects = ['d', 'P', 'I', 'RECIPE', 'slot', 'ingredient'];
