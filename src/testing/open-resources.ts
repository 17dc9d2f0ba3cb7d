import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as wait } from 'node:timers/promises';

/** Resources that hold the process open, by kind. */
function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * Kinds of resources of which at least `least` more are open than before, and stay so for half a second; child
 * processes that live, too.
 */
async function leftOpen(
  before: ReadonlyMap<string, number>,
  started: ChildProcess[],
  least: number,
): Promise<string[]> {
  const living = (): ChildProcess[] =>
    started.filter(({ pid, exitCode, signalCode }) => pid !== undefined && exitCode === null && signalCode === null);
  const surplus = (): string[] => {
    const kinds = [...countResources()].filter(([kind, count]) => count - (before.get(kind) ?? 0) >= least);
    const children = living();
    const names = [...new Set(children.map(({ spawnargs }) => `the child process ${commandLine(spawnargs)}`))];
    return [...kinds.map(([kind]) => kind), ...(children.length >= least ? names : [])];
  };
  for (let attempt = 0; attempt < 20 && surplus().length > 0; attempt += 1) await wait(25);
  return surplus();
}

/** The end of it says most: a command may be started through a shell. */
function commandLine(words: readonly string[]): string {
  const line = words.join(' ');
  return line.length <= 60 ? line : `...${line.slice(-60)}`;
}

/**
 * What instances leave open, as findings of a check: several live one after the other, because whatever else is in this
 * process opens and closes a handle or two meanwhile.
 */
export async function leftOpenBy(live: () => Promise<void>): Promise<string[]> {
  const instances = 6;
  const before = countResources();
  // A child process that holds nothing open, because it was unreferenced, lives on all the same.
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => void started.push((message as { readonly process: ChildProcess }).process);
  subscribe('child_process', note);
  try {
    for (let instance = 0; instance < instances; instance += 1) await live();
    const left = await leftOpen(before, started, instances / 2);
    return left.length === 0 ? [] : [`left open: ${left.join(', ')}`];
  } finally {
    unsubscribe('child_process', note);
  }
}
