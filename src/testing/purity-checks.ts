// Checks that a plugin neither depends on the clock and the random numbers of its process, nor changes its global state.
// The original state is always restored.
import type { KitCheck } from './conformance-kit.js';
import { jsonDifference } from './json-difference.js';

/** Forty days and a bit, so that day, hour and minute differ. */
const shift = 40 * 86_400_000 + 5_025_000;

/** Runs `work` while every JavaScript clock is forty days ahead. */
async function withOtherClock(work: () => unknown): Promise<unknown> {
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
async function callsOfMathRandom(work: () => unknown): Promise<readonly string[]> {
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

/**
 * Three checks of any kind.
 *
 * @param answersOf what to compare as JSON; the first time it may be what is known already
 * @param live makes every kind of call, from creation to the end
 */
export function purityChecks<Context>(
  answersOf: (context: Context, isFirst: boolean) => unknown,
  live: (context: Context) => unknown = (context) => answersOf(context, false),
): readonly KitCheck<Context>[] {
  return [
    {
      id: 'global-random',
      title: 'Math.random is not called',
      cure: 'Draw from the `Random` that reset() or the call gets, or from `host.random`: Math.random has no seed.',
      run: async (context) =>
        (await callsOfMathRandom(() => live(context))).slice(0, 3).map((place) => `Math.random is called ${place}`),
    },
    {
      id: 'clock',
      title: 'the answers are the same at another date and time',
      cure: 'Do not use the clock in anything that reaches the trainer. Count turns or steps instead of seconds.',
      run: async (context) => {
        const first = await answersOf(context, true);
        const difference = jsonDifference(first, await withOtherClock(() => answersOf(context, false)));
        return difference && `forty days later the answers differ: ${difference}`;
      },
    },
    {
      id: 'global-state',
      title: 'the process does not change: listeners, globals, prototypes, environment variables, current folder',
      cure: 'Keep state in the instance, and undo registrations in dispose() or close().',
      run: async (context) =>
        (await changedGlobals(() => live(context))).map((name) => `afterwards ${name} had changed`),
    },
  ];
}
