import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as wait } from 'node:timers/promises';

/** Resources that hold the process open, by kind. */
function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Kinds of resources with at least `least` more open than before for half a second, and live child processes. */
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

/** The end of the command is the most useful part, because a shell may have started it. */
function commandLine(words: readonly string[]): string {
  const line = words.join(' ');
  return line.length <= 60 ? line : `...${line.slice(-60)}`;
}

/**
 * Resources that instances leave open, as findings of a check. Several instances are created one after the other,
 * because other code in this process also opens and closes a few handles.
 */
export async function leftOpenBy(live: () => Promise<void>): Promise<string[]> {
  const instances = 6;
  const before = countResources();
  // An unreferenced child process holds nothing open but still lives.
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
