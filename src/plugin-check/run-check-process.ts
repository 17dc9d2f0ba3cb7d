import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { ownGroup } from '../processes/own-group.js';
import type { CheckMessage, CheckRequest } from './check-messages.js';

const program = fileURLToPath(new URL('./check-process.js', import.meta.url));
/** Seconds after its work within which a process must end. */
const secondsToEnd = 5;
/** Number of characters kept from each stream. */
const kept = 20_000;

/** How a process that ran a plugin's code ended. */
export interface CheckProcessResult {
  readonly messages: readonly CheckMessage[];
  /**
   * `ended`: by itself after its work. `open`: it did not end after its work. `exited`: before its work was done.
   * `hung`: it sent no message in time.
   */
  readonly ending: 'ended' | 'open' | 'exited' | 'hung';
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs one job in a separate process. The process and its descendants are killed if it sends no message for `seconds`.
 *
 * @throws the reason with which `signal` was aborted
 */
export async function runCheckProcess(
  request: CheckRequest,
  seconds: number,
  signal: AbortSignal,
  listener: (message: CheckMessage) => void,
): Promise<CheckProcessResult> {
  signal.throwIfAborted();
  // In a separate session, the child processes of the plugin end with it and with this process, and Ctrl-C reaches it
  // only through this process.
  const child = fork(program, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
  const group = ownGroup(child);
  const messages: CheckMessage[] = [];
  const streams = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]
      ?.setEncoding('utf8')
      .on('data', (text: string) => (streams[name] = (streams[name] + text).slice(-kept)));
  }
  let timer: NodeJS.Timeout | undefined;
  let silent = false;
  const wait = (limit: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      silent = true;
      group.kill('SIGKILL');
    }, 1000 * limit);
  };
  const interrupt = (): void => group.kill('SIGKILL');
  signal.addEventListener('abort', interrupt, { once: true });
  child.on('message', (message: CheckMessage) => {
    messages.push(message);
    wait(message.type === 'done' ? secondsToEnd : seconds);
    listener(message);
  });
  try {
    wait(seconds);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
      child.send(request);
    });
    signal.throwIfAborted();
    const done = messages.some(({ type }) => type === 'done');
    const ending = silent ? (done ? 'open' : 'hung') : done ? 'ended' : 'exited';
    return { messages, ending, code, ...streams };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    group.kill('SIGKILL');
  }
}
