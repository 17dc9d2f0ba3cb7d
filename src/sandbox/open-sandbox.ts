// Programs of an agent run in namespaces that bubblewrap makes. A process holds them open, and each program enters them.
import { randomInt, randomUUID } from 'node:crypto';
import { stat, statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import type { SandboxCall, SandboxLimit, SandboxOptions, SandboxResult } from '../contracts/sandbox.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { findProgram } from '../processes/find-program.js';
import { type OwnedProcess, spawnOwned } from '../processes/spawn-owned.js';
import {
  delegatedGroup,
  emptyGroup,
  enterGroup,
  type GroupPlace,
  makeGroup,
  readEvents,
  removeGroup,
} from './control-group.js';
import { type NamespaceProcess, pidNamespaceOf, processesIn } from './namespace-processes.js';
import { runToEnd, usualBytes, usualSeconds } from './run-to-end.js';
import {
  enterCommand,
  holdCommand,
  type Owner,
  type SandboxPrograms,
  usualLimits,
  workFolder,
} from './sandbox-command.js';
import type { BubblewrapPlace, PlacedSandbox } from './sandbox-place.js';

const openMilliseconds = 10_000;
/** Between checks of the limits that only this process keeps. */
const lookEvery = 40;
/** Tries to kill what is left behind, a second in all. A program that starts processes faster loses the sandbox. */
const mostSweeps = 40;
const betweenSweeps = 25;
/** Programs can read the first variables of every process in the sandbox, also of those that lead into it. */
const bareEnvironment = { PATH: '/usr/bin:/bin' };

/**
 * Opens a sandbox by bubblewrap. It ends when `signal` is aborted.
 *
 * @param id names it for records
 * @throws AG_SANDBOX if this machine cannot make one
 */
export async function openSandbox(
  options: SandboxOptions,
  signal: AbortSignal,
  id: string = randomUUID().slice(0, 8),
): Promise<PlacedSandbox> {
  const programs = await findSandboxPrograms();
  const hidden = await Promise.all(
    (options.hide ?? []).map(async (path) => ({ path, isFolder: (await stat(path)).isDirectory() })),
  );
  const owner = newOwner();
  const [command = '', ...args] = holdCommand(programs, owner, options, hidden);
  const holder = await spawnOwned(command, args, { signal, env: bareEnvironment });
  try {
    const pid = await withinDeadline('a sandbox', openMilliseconds, () => pidOfHolder(holder));
    const namespace = await pidNamespaceOf(pid);
    const group = await groupOf(options);
    return new OpenSandbox(
      { kind: 'bubblewrap', id: `bubblewrap-${id}`, programs, owner, options, pid, namespace, ...(group && { group }) },
      holder,
    );
  } catch (error) {
    holder.kill();
    signal.throwIfAborted();
    throw cannot(`bubblewrap cannot make one: ${messageOf(error)}`, error);
  }
}

/** The group of a sandbox; undefined where none can be made. */
async function groupOf({
  diskMegabytes = usualLimits.diskMegabytes,
  megabytes = usualLimits.megabytes,
  processes = usualLimits.processes,
}: SandboxOptions): Promise<GroupPlace | undefined> {
  const delegated = await delegatedGroup();
  if ('problem' in delegated) return undefined;
  // The system counts files in memory as memory of who wrote them, and one more process leads into the namespaces.
  const limits = { bytes: (megabytes + diskMegabytes) * 1e6, tasks: processes + 1 };
  return makeGroup(delegated.folder, randomUUID(), limits);
}

/** A sandbox that another thread of this process holds open. Programs of only one thread may run at a time. */
export function enterSandbox(place: BubblewrapPlace): PlacedSandbox {
  return new OpenSandbox(place);
}

/** @throws AG_SANDBOX that names what is missing */
async function findSandboxPrograms(): Promise<SandboxPrograms> {
  if (process.platform !== 'linux') throw cannot('it needs Linux');
  const find = (name: string) =>
    findProgram(name, {}).catch((error: unknown) => {
      throw cannot(messageOf(error), error);
    });
  // bubblewrap is what is missing most often, so it is named first.
  const bwrap = await find('bwrap');
  return { bwrap, nsenter: await find('nsenter'), prlimit: await find('prlimit'), setpriv: await find('setpriv') };
}

function cannot(why: string, cause?: unknown): AgentgymError {
  return new AgentgymError('AG_SANDBOX', { message: `A sandbox cannot be opened: ${why}.`, cause });
}

/**
 * A user that nobody else has, where this process may choose one. Root could otherwise use more processes than its limit,
 * and programs of two sandboxes could signal each other.
 */
function newOwner(): Owner {
  return process.getuid?.() === 0 ? randomInt(40_000, 60_000) : undefined;
}

/** The process id that bubblewrap writes, once the program inside runs. */
async function pidOfHolder({ ended, stderr, stdout }: OwnedProcess): Promise<number> {
  let [said, complained] = ['', ''];
  stderr.setEncoding('utf8').on('data', (text: string) => (complained = (complained + text).slice(-400)));
  const ready = new Promise<number>((resolve) => {
    stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, pid] = /"child-pid": (\d+)[\s\S]*\}\s*ready\n/.exec(said) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
  });
  const failed = ended.then(() => {
    throw new Error(complained.trim() || 'it ended');
  });
  return Promise.race([ready, failed]);
}

class OpenSandbox implements PlacedSandbox {
  readonly folder = workFolder;
  /** Processes that hold the namespaces open. */
  #own: ReadonlySet<number> | undefined;
  #closed: string | undefined;
  #running: Promise<unknown> = Promise.resolve();

  /** @param holder the process that holds it open; absent: another thread has it */
  constructor(
    readonly place: BubblewrapPlace,
    private readonly holder?: OwnedProcess,
  ) {
    void holder?.ended.then(() => (this.#closed ??= 'its processes have ended'));
  }

  get id(): string {
    return this.place.id;
  }

  /** Programs run one after the other, because what one leaves behind is killed at its end. */
  run(command: string, args: readonly string[] = [], call: SandboxCall = {}): Promise<SandboxResult> {
    const result = this.#running.then(() => this.#run([command, ...args], call));
    this.#running = result.catch(() => undefined);
    const { signal } = call;
    if (signal === undefined) return result;
    // Whoever aborts a program need not wait until it is cleared away. The next program does.
    let abort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
    return Promise.race([result, aborted]).finally(() => signal.removeEventListener('abort', abort!));
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const script = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"';
    const { code, stderr } = await this.run('/bin/sh', ['-c', script, 'sh', this.#below(path)], { input: content });
    if (code !== 0) throw new Error(`${path} cannot be written in the sandbox: ${stderr.trim().slice(0, 200)}`);
  }

  async read(path: string, bytes = usualBytes): Promise<Uint8Array | undefined> {
    // Base64, because the output of programs is text.
    const script = '[ -f "$1" ] || exit 3; head -c "$2" -- "$1" | base64 -w 0';
    const args = ['-c', script, 'sh', this.#below(path), `${bytes + 1}`];
    const { code, stderr, stdout } = await this.run('/bin/sh', args, { outputBytes: 2 * bytes + 1024 });
    if (code === 3) return undefined;
    if (code !== 0) throw new Error(`${path} cannot be read in the sandbox: ${stderr.trim().slice(0, 200)}`);
    const content = Buffer.from(stdout, 'base64');
    if (content.length > bytes) throw new Error(`${path} in the sandbox has more than ${bytes} bytes`);
    return content;
  }

  async close(): Promise<void> {
    this.#closed ??= 'it was closed';
    if (this.holder === undefined) return;
    this.holder.kill();
    await this.holder.ended;
    if (this.place.group !== undefined) await removeGroup(this.place.group);
  }

  #below(path: string): string {
    return path.startsWith('/') ? path : `${workFolder}/${path}`;
  }

  async #run(command: readonly string[], call: SandboxCall): Promise<SandboxResult> {
    const { seconds = usualSeconds, signal } = call;
    const { group, options, owner, pid, programs } = this.place;
    if (this.#closed !== undefined) throw new Error(`the sandbox is closed: ${this.#closed}`);
    signal?.throwIfAborted();
    this.#own ??= new Set((await this.#started()).map((one) => one.pid));
    const { processes = usualLimits.processes, env = {} } = options;
    const inside = { env, processes: group === undefined ? processes : undefined };
    const entered = enterCommand(programs, owner, pid, inside, command);
    const reached = group === undefined ? () => this.#counted(processes) : await this.#told(group);
    const [program = '', ...rest] = group === undefined ? entered : enterGroup(group, entered);
    const child = await spawnOwned(program, rest, { env: bareEnvironment });
    return runToEnd(child, call, {
      look: (begun, stop, ended) => this.#look(begun, seconds, reached, stop, ended),
      sweep: () => this.#sweep(),
    });
  }

  /** Looks for limits that are reached, until `signal` is aborted. */
  async #look(
    begun: number,
    seconds: number,
    reached: () => Promise<SandboxLimit | undefined>,
    stop: (limit: SandboxLimit) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { files = usualLimits.files } = this.place.options;
    // A program that finds too many files may still remove some.
    const mostFiles = Math.max(files, await filesBelow(this.place.pid));
    while (!signal.aborted) {
      const left = 1000 * seconds - (performance.now() - begun);
      if (left <= 0) return stop('seconds');
      await wait(Math.min(lookEvery, left), undefined, { signal }).catch(() => undefined);
      const limit = await reached();
      if (signal.aborted) break;
      if (limit !== undefined) return stop(limit);
      if ((await filesBelow(this.place.pid)) > mostFiles) return stop('files');
    }
    // The system ends a program before this process sees why.
    const limit = this.place.group === undefined ? undefined : await reached();
    if (limit !== undefined) stop(limit);
  }

  /** The limit that programs are beyond, as this process counts them. */
  async #counted(processes: number): Promise<SandboxLimit | undefined> {
    const { megabytes = usualLimits.megabytes } = this.place.options;
    const found = await this.#started();
    if (found.length > processes) return 'processes';
    return found.reduce((sum, one) => sum + one.bytes, 0) > megabytes * 1e6 ? 'memory' : undefined;
  }

  /** The same as the system tells it, from now on. */
  async #told(group: GroupPlace): Promise<() => Promise<SandboxLimit | undefined>> {
    const before = await readEvents(group);
    return async () => {
      // The group is gone if the sandbox was closed.
      const now = await readEvents(group).catch(() => before);
      return (['memory', 'processes'] as const).find((limit) => (now[limit] ?? 0) > (before[limit] ?? 0));
    };
  }

  /** Processes of programs, without those that hold the sandbox. */
  async #started(): Promise<readonly NamespaceProcess[]> {
    const all = await processesIn(this.place.namespace);
    return all.filter(({ pid }) => this.#own?.has(pid) !== true);
  }

  /** Kills what a program left behind, whatever group or session it is in. */
  async #sweep(): Promise<void> {
    const { group } = this.place;
    if (group !== undefined && (await emptyGroup(group))) return;
    for (let sweep = 0; sweep < mostSweeps; sweep += 1) {
      const left = await this.#started();
      if (left.length === 0) return;
      for (const { pid } of left) kill(pid);
      await wait(sweep === 0 ? 1 : betweenSweeps);
    }
    this.#closed ??= 'a program started processes faster than they could be killed';
    await this.close();
  }
}

/** Number of files in the working folder, seen through a process in the sandbox; 0 if that has ended. */
async function filesBelow(pid: number): Promise<number> {
  const { ffree, files } = await statfs(`/proc/${pid}/root${workFolder}`).catch(() => ({ ffree: 0, files: 0 }));
  return files - ffree;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
