import { setTimeout as wait } from 'node:timers/promises';

/** Resources that hold the process open, by kind. */
function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Kinds of which at least `least` more are open than before, and stay so for half a second. */
async function leftOpen(before: ReadonlyMap<string, number>, least: number): Promise<string[]> {
  const surplus = (): string[] =>
    [...countResources()].filter(([kind, count]) => count - (before.get(kind) ?? 0) >= least).map(([kind]) => kind);
  for (let attempt = 0; attempt < 20 && surplus().length > 0; attempt += 1) await wait(25);
  return surplus();
}

/**
 * What instances leave open, as findings of a check: several live one after the other, because whatever else is in this process opens and closes a handle
 * or two meanwhile.
 */
export async function leftOpenBy(live: () => Promise<void>): Promise<string[]> {
  const instances = 6;
  const before = countResources();
  for (let instance = 0; instance < instances; instance += 1) await live();
  const left = await leftOpen(before, instances / 2);
  return left.length === 0 ? [] : [`left open: ${left.join(', ')}`];
}
