// Changes what a plugin must not depend on while it works: the clock and the random numbers of the process. The
// original state is always restored.

/** Forty days and a bit, so that day, hour and minute differ. */
const shift = 40 * 86_400_000 + 5_025_000;

/** Runs `work` while every JavaScript clock is forty days ahead. */
export async function withOtherClock<T>(work: () => Promise<T> | T): Promise<T> {
  const { Date: RealDate, performance: realPerformance } = globalThis;
  const now = realPerformance.now.bind(realPerformance);
  class OtherDate extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      if (given.length === 0) super(RealDate.now() + shift);
      else super(...given);
    }
    static override now(): number {
      return RealDate.now() + shift;
    }
  }
  globalThis.Date = OtherDate as DateConstructor;
  realPerformance.now = () => now() + shift;
  try {
    return await work();
  } finally {
    globalThis.Date = RealDate;
    // The assignment above created an own property, which hides `now` of the prototype.
    delete (realPerformance as { now?: unknown }).now;
  }
}

/** Places from which `work` called Math.random, as lines of a stack, without repetition. */
export async function callsOfMathRandom(work: () => unknown): Promise<readonly string[]> {
  const real = Math.random;
  const places = new Set<string>();
  Math.random = () => {
    places.add(new Error().stack?.split('\n')[2]?.trim() ?? 'somewhere');
    return real();
  };
  try {
    await work();
  } finally {
    Math.random = real;
  }
  return [...places];
}

/** Global state that a plugin may change by accident, by name, in comparable form. */
function globalState(): Map<string, string> {
  const own = (object: object): string => Reflect.ownKeys(object).map(String).sort().join(' ');
  const listeners = process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`);
  return new Map([
    ['listeners of the process', listeners.sort().join(', ')],
    ['global names', own(globalThis)],
    ['Object.prototype', own(Object.prototype)],
    ['Array.prototype', own(Array.prototype)],
    ['String.prototype', own(String.prototype)],
    ['Math.random', String(Math.random)],
    ['Date.now', String(Date.now)],
    ['environment variables', JSON.stringify(Object.entries(process.env).sort())],
    ['the current folder', process.cwd()],
  ]);
}

/** Names of the global state that `work` changed. */
export async function changedGlobals(work: () => unknown): Promise<readonly string[]> {
  const before = globalState();
  await work();
  return [...globalState()].flatMap(([name, value]) => (before.get(name) === value ? [] : [name]));
}
