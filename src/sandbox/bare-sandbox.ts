// Programs of an agent without isolation, for recipes that say `sandbox: none`: in a folder of their own, as the user of
// this process, with limits of time and output only.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { SandboxCall, SandboxOptions, SandboxResult } from '../contracts/sandbox.js';
import { spawnOwned } from '../processes/spawn-owned.js';
import { runToEnd, usualBytes, usualSeconds } from './run-to-end.js';
import type { BarePlace, PlacedSandbox } from './sandbox-place.js';

/** Makes the folder. `close` removes it. */
export async function openBareSandbox(
  options: SandboxOptions,
  id: string = randomUUID().slice(0, 8),
): Promise<PlacedSandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-sandbox-'));
  return new BareSandbox({ kind: 'none', id: `none-${id}`, folder, options }, true);
}

/** The folder of another thread. */
export function enterBareSandbox(place: BarePlace): PlacedSandbox {
  return new BareSandbox(place, false);
}

class BareSandbox implements PlacedSandbox {
  #running: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();

  /** @param isOwner whether closing it removes the folder */
  constructor(
    readonly place: BarePlace,
    private readonly isOwner: boolean,
  ) {}

  get id(): string {
    return this.place.id;
  }

  get folder(): string {
    return this.place.folder;
  }

  /** One after the other, as in a sandbox. */
  run(command: string, args: readonly string[] = [], call: SandboxCall = {}): Promise<SandboxResult> {
    const result = this.#running.then(() => this.#run(command, args, call));
    this.#running = result.catch(() => undefined);
    return result;
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const file = this.#below(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  async read(path: string, bytes = usualBytes): Promise<Uint8Array | undefined> {
    const file = this.#below(path);
    try {
      if ((await stat(file)).size > bytes) throw new Error(`${path} in the sandbox has more than ${bytes} bytes`);
      return await readFile(file);
    } catch (error) {
      if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the sandbox is closed'));
    await this.#running;
    if (this.isOwner) await rm(this.folder, { recursive: true, force: true });
  }

  async #run(command: string, args: readonly string[], call: SandboxCall): Promise<SandboxResult> {
    const { seconds = usualSeconds, signal } = call;
    const either = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    either.throwIfAborted();
    const { folder, options } = this.place;
    const { PATH } = process.env;
    const env = { PATH, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', ...options.env };
    const child = await spawnOwned(command, args, { cwd: folder, env });
    return runToEnd(
      child,
      { ...call, signal: either },
      {
        async look(_, stop, ended) {
          await wait(1000 * seconds, undefined, { signal: ended }).then(
            () => stop('seconds'),
            () => undefined,
          );
        },
        // The end of the process has killed what it started.
        sweep: () => Promise.resolve(),
      },
    );
  }

  /** A file below the folder, which paths must not leave. */
  #below(path: string): string {
    const file = resolve(this.folder, path);
    const way = relative(this.folder, file);
    if (way === '' || way.startsWith('..')) throw new Error(`${path} is not below the folder of the sandbox`);
    return file;
  }
}
