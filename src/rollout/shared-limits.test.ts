import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { atOnceOrWithinDeadline, DeadlineError } from '../errors/within-deadline.js';
import { CallSignals } from './call-signals.js';
import { EnvironmentCall } from './environment-call.js';
import { SharedLimits, waitForTurn } from './shared-limits.js';

const never = new AbortController().signal;
afterEach(() => void vi.useRealTimers());

describe('a shared limit', () => {
  it('lets so many in at once, whoever asked first goes first', async () => {
    const limits = new SharedLimits();
    const log: string[] = [];
    const work = async (name: string) => {
      const end = await limits.take('ports', { atOnce: 2 }, never);
      log.push(`+${name}`);
      await sleep(5);
      log.push(`-${name}`);
      end();
      end();
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(work));
    expect(log.slice(0, 2)).toEqual(['+a', '+b']);
    expect(log.filter((one) => one.startsWith('+'))).toEqual(['+a', '+b', '+c', '+d']);
    expect(log.indexOf('+c')).toBeGreaterThan(log.indexOf('-a'));
  });

  it('lets so many begin in any minute', async () => {
    vi.useFakeTimers();
    const limits = new SharedLimits();
    const begun: number[] = [];
    const start = performance.now();
    const ask = () =>
      limits.take('requests', { perMinute: 2 }, never).then(() => begun.push(performance.now() - start));
    const first = [ask(), ask(), ask()];
    await vi.advanceTimersByTimeAsync(10_000);
    const more = [ask(), ask()];
    await vi.advanceTimersByTimeAsync(200_000);
    await Promise.all([...first, ...more]);
    expect(begun.map((at) => Math.round(at / 1000))).toEqual([0, 0, 60, 60, 120]);
  });

  it('forgets who no longer waits', async () => {
    const limits = new SharedLimits();
    const end = await limits.take('ports', { atOnce: 1 }, never);
    const stop = new AbortController();
    const waiting = limits.take('ports', { atOnce: 1 }, stop.signal);
    const next = limits.take('ports', { atOnce: 1 }, never);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    end();
    (await next)();
    await expect(async () => limits.take('ports', { atOnce: 1 }, stop.signal)).rejects.toThrow('enough');
  });

  it('has one number', () => {
    const limits = new SharedLimits();
    void limits.take('ports', { atOnce: 1 }, never);
    expect(() => limits.take('ports', { atOnce: 2 }, never)).toThrow(/The limit ports has different numbers/);
  });

  // Goes red when an episode that waits for its turn is taken for one that hangs.
  it('does not count towards the deadline of a call, nor as its time', async () => {
    const limits = new SharedLimits();
    const end = await limits.take('ports', { atOnce: 1 }, never);
    const call = new EnvironmentCall(new CallSignals(), never);
    let took = NaN;
    const options = { waited: () => call.waited, took: (milliseconds: number) => (took = milliseconds) };
    const step = (after: number) =>
      atOnceOrWithinDeadline(
        'step',
        60,
        async () => {
          (await waitForTurn(call, limits.take('ports', { atOnce: 1 }, never)))();
          await sleep(after);
          return 'done';
        },
        options,
      );
    const answer = step(5);
    await sleep(200);
    end();
    expect(await answer).toBe('done');
    expect(took).toBeLessThan(150);
    await expect(step(500)).rejects.toBeInstanceOf(DeadlineError);
  });
});
