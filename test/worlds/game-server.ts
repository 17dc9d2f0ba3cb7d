import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The guide's server in a separate process, as a user starts it. */
export interface GameServer {
  readonly url: string;
  /** Number of games with a lease. */
  leased(): Promise<number>;
  /** Kills the server immediately. */
  kill(): Promise<void>;
}

/** @param flags of the server; without `--port` it uses any free port */
export async function startServer(project: string, flags: readonly string[] = []): Promise<GameServer> {
  const child = spawn(process.execPath, [join(project, 'programs/server.js'), '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = /http:\S+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`the server said: ${line}`);
  return {
    url,
    async leased() {
      return ((await (await fetch(url)).json()) as { leased: number }).leased;
    },
    kill: () => kill(child),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
