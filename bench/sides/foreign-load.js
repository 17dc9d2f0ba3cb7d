// Measures how many cores other processes used. Every ratio needs this number, because load on a shared machine
// distorts it.
import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * Starts the measurement. The returned function ends it and returns the cores used by all processes except this one and
 * `pids`. It returns undefined without /proc, and when one of `pids` has ended.
 */
export function watchForeignLoad(pids) {
  const start = snapshot(pids);
  if (start === undefined) return () => undefined;
  return () => {
    const end = snapshot(pids);
    if (end === undefined) return undefined;
    const seconds = (end.time - start.time) / 1000;
    return Math.max(0, (end.busy - start.busy - (end.own - start.own)) / ticksPerSecond / seconds);
  };
}

function snapshot(pids) {
  try {
    const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/\s+/u);
    const own = [process.pid, ...pids].map(ticksOf).reduce((sum, ticks) => sum + ticks, 0);
    const busy = [user, nice, system, irq, softirq].map(Number).reduce((sum, ticks) => sum + ticks, 0);
    return { time: performance.now(), busy, own };
  } catch {
    return undefined;
  }
}

/** User and system time of a process in all threads. */
function ticksOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
