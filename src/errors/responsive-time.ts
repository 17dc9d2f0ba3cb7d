// Measures the time in which this thread could receive an answer. While a thread is busy, answers wait in the queue. A
// deadline that counted this time would blame a function that answered long ago.

const period = 10;
/** What a single tick counts at most: timers are late by a few milliseconds on an idle thread, too. */
const most = 2 * period;

interface Waiter {
  readonly until: number;
  readonly expire: () => void;
}

const waiting = new Set<Waiter>();
let passed = 0;
let last = 0;
let timer: NodeJS.Timeout | undefined;

/** Milliseconds of responsive time that have passed; they pass only while somebody waits. */
export function responsiveTime(): number {
  return timer === undefined ? passed : passed + Math.min(performance.now() - last, most);
}

/** Calls `expire` once so many milliseconds of responsive time have passed. @returns a function that calls it off */
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
  // What has arrived meanwhile is taken first.
  setImmediate(() => {
    for (const waiter of due) if (waiting.has(waiter)) waiter.expire();
  });
}
