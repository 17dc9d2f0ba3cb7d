// How much of the machine others used while we measured, in cores: a number beside every ratio, for a shared machine
// can make any of them.
import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * Starts a clock over the whole machine; the answer is called with the same processes at the end. Undefined where /proc
 * is not there.
 */
export function watchForeignLoad(pids) {
  const start = snapshot(pids);
  if (start === undefined) return () => undefined;
  return () => {
    const end = snapshot(pids);
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

/** User and system time of a process, all its threads. */
function ticksOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
