import { availableParallelism, cpus, freemem, loadavg, platform, totalmem } from 'node:os';

import { numberInFile, statFields } from '../processes/proc-file.js';
import type { ProcessLoad, SystemLoad } from '../reporting/live-data.js';
import { runOwner } from '../runs/run-lock.js';

/** The kernel's unit of process time: a hundredth of a second on every Linux, for any clock (time(7), USER_HZ). */
const ticksPerSecond = 100;

/** Seconds of all cores since the machine started. */
interface Ticks {
  readonly busy: number;
  readonly all: number;
}

/** Samples the load of the machine; each rate is since the last sample. */
export class LoadSampler {
  #machine: Ticks | undefined;
  #processes = new Map<number, { readonly seconds: number; readonly at: number }>();

  /** `runs`: key and folder of the runs whose processes are sampled. */
  sample(runs: readonly (readonly [key: string, directory: string])[]): SystemLoad {
    const machine = machineTicks();
    const before = this.#machine;
    this.#machine = machine;
    const spent = before === undefined ? 0 : machine.all - before.all;
    const [one = 0, five = 0, fifteen = 0] = loadavg();
    return {
      cores: availableParallelism(),
      busy: before === undefined || spent <= 0 ? null : Math.min(1, Math.max(0, (machine.busy - before.busy) / spent)),
      average: platform() === 'win32' ? null : [one, five, fifteen],
      memory: { used: totalmem() - freemem(), total: totalmem() },
      processes: this.#sampleProcesses(runs),
    };
  }

  #sampleProcesses(runs: readonly (readonly [string, string])[]): ProcessLoad[] {
    const before = this.#processes;
    this.#processes = new Map();
    return runs.flatMap(([run, directory]) => {
      const pid = ownerOf(directory);
      const used = pid === undefined ? undefined : processUse(pid);
      if (pid === undefined || used === undefined) return [];
      const at = performance.now() / 1000;
      const earlier = before.get(pid);
      this.#processes.set(pid, { seconds: used.seconds, at });
      const cores =
        earlier === undefined || at <= earlier.at ? null : (used.seconds - earlier.seconds) / (at - earlier.at);
      return [{ run, pid, cores, memory: used.memory }];
    });
  }
}

function ownerOf(directory: string): number | undefined {
  try {
    return runOwner(directory)?.pid;
  } catch {
    return undefined;
  }
}

function machineTicks(): Ticks {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const total = times.user + times.nice + times.sys + times.idle + times.irq;
    busy += total - times.idle;
    all += total;
  }
  return { busy, all };
}

/**
 * proc(5): fields 14 and 15 of `stat` are the time in user and kernel mode; VmRSS of `status` is the memory. Undefined
 * without /proc.
 */
function processUse(pid: number): { readonly seconds: number; readonly memory: number } | undefined {
  const fields = statFields(pid);
  const seconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  const memory = numberInFile(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB/m, 1024);
  return Number.isFinite(seconds) && memory !== undefined ? { seconds, memory } : undefined;
}
