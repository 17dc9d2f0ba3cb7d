// Measures the time in which this thread could receive an answer. While a thread is busy, answers wait in the queue. If
// a deadline counted this time, it could reject a function that answered long ago.

const period = 10;
/** Most milliseconds that a single tick counts. Timers are a few milliseconds late even on an idle thread. */
const most = 2 * period;

interface Waiter {
  readonly until: number;
  readonly expire: () => void;
}

const waiting = new Set<Waiter>();
let passed = 0;
let last = 0;
let timer: NodeJS.Timeout | undefined;

/** Milliseconds of responsive time that have passed. It passes only while there is a waiter. */
export function responsiveTime(): number {
  return timer === undefined ? passed : passed + Math.min(performance.now() - last, most);
}

/** Calls `expire` after this many milliseconds of responsive time. @returns a function that cancels the call */
export function afterResponsiveTime(milliseconds: number, expire: () => void): () => void {
  if (timer === undefined) {
    last = performance.now();
    timer = setInterval(tick, period);
  }
  const waiter = { until: passed + milliseconds, expire };
  waiting.add(waiter);
  return () => {
    waiting.delete(waiter);
    if (waiting.size > 0 || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  const now = performance.now();
  passed += Math.min(now - last, most);
  last = now;
  const due = [...waiting].filter(({ until }) => passed >= until);
  if (due.length === 0) return;
  // Answers that arrived meanwhile are handled first.
  setImmediate(() => {
    for (const waiter of due) if (waiting.has(waiter)) waiter.expire();
  });
}
