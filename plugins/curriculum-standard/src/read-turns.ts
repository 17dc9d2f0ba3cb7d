import type { ChosenTask, TaskPool } from '@agentgym/cli';

import type { EntryTurn } from './take-turns.js';

/** The tasks of turns, each from its pool. `read` gives the tasks of one pool at these turns, which follow each other. */
export async function readTurns(
  pools: readonly TaskPool[],
  turns: readonly EntryTurn[],
  read: (entry: number, first: number, count: number) => Promise<readonly string[]>,
): Promise<readonly ChosenTask[]> {
  const tasks = await Promise.all(
    pools.map((_, entry) => {
      const own = turns.filter((turn) => turn.entry === entry);
      return own[0] === undefined ? Promise.resolve([]) : read(entry, own[0].turn, own.length);
    }),
  );
  const taken = pools.map(() => 0);
  return turns.map(({ entry }) => {
    const place = taken[entry] as number;
    taken[entry] = place + 1;
    const { entry: name } = pools[entry] as TaskPool;
    return { ...(name !== undefined && { entry: name }), task: tasks[entry]?.[place] as string };
  });
}
