import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as wait } from 'node:timers/promises';

import type { Awaitable } from '../contracts/environment.js';
import { firstFound, foundAt } from './findings.js';

/** Resources that hold the process open, by kind. */
function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** The end of the command is the most useful part, because a shell may have started it. */
function commandLine(words: readonly string[]): string {
  const line = words.join(' ');
  return line.length <= 60 ? line : `...${line.slice(-60)}`;
}

/**
 * Resources that instances leave open, in words. Several instances are created one after the other,
 * because other code in this process also opens and closes a few handles.
 */
export async function leftOpenBy(live: () => Promise<void>): Promise<string | undefined> {
  const instances = 6;
  const before = countResources();
  // An unreferenced child process holds nothing open but still lives.
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => void started.push((message as { readonly process: ChildProcess }).process);
  const surplus = (): string[] => {
    const kinds = [...countResources()].filter(([kind, count]) => count - (before.get(kind) ?? 0) >= instances / 2);
    const living = started.filter(
      ({ pid, exitCode, signalCode }) => pid !== undefined && exitCode === null && signalCode === null,
    );
    const names = new Set(living.map(({ spawnargs }) => `the child process ${commandLine(spawnargs)}`));
    return [...kinds.map(([kind]) => kind), ...(living.length >= instances / 2 ? names : [])];
  };
  subscribe('child_process', note);
  try {
    for (let instance = 0; instance < instances; instance += 1) await live();
    // What was closed may take half a second to go.
    for (let attempt = 0; attempt < 20 && surplus().length > 0; attempt += 1) await wait(25);
    const left = surplus();
    return left.length === 0 ? undefined : `left open: ${left.join(', ')}`;
  } finally {
    unsubscribe('child_process', note);
  }
}

/** Frees something twice. Returns what is thrown, in words. */
export function freedTwice(what: string, free: () => Awaitable<void>): Promise<string | undefined> {
  return firstFound(['first', 'second'], (time) =>
    foundAt(`the ${time} ${what} threw`, async () => (await free(), undefined)),
  );
}
