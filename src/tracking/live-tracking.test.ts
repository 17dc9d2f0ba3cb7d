import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it, vi } from 'vitest';

import { LiveTracking } from './live-tracking.js';
import { TrackingFailure } from './mlflow-client.js';
import type { Tracked } from './tracked-run.js';

const nothing = { points: 0, artifacts: 0, refusals: [] };

/** A subject whose calls of `send` have these outcomes, one after the other, and then all succeed. */
function subject(...outcomes: (Error | 'hangs')[]): Tracked & { calls: number } {
  return {
    sent: nothing,
    calls: 0,
    async send(signal) {
      this.calls += 1;
      const outcome = outcomes.shift();
      if (outcome === 'hangs') {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new TrackingFailure('late'))));
      } else if (outcome !== undefined) throw outcome;
    },
  };
}

const options = { later: 'agentgym runs track x', everySeconds: 0.01 };

it('warns once of a server that is away, goes on, and sends the rest', async () => {
  const away = new TrackingFailure('it is away', true, 0.01);
  const tracked = subject(away, away, away);
  const warn = vi.fn();
  const live = new LiveTracking(tracked, { ...options, warn });
  await vi.waitUntil(() => tracked.calls > 5);
  expect(await live.finish()).toBe(true);
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^Tracking is waiting: it is away\. .*`agentgym runs track x` sends it later\.$/)],
  ]);
});

it('gives up at the end, and names the command that sends the rest', async () => {
  const away = new TrackingFailure('it is away', true, 0);
  const tracked = subject(...Array<Error>(1000).fill(away));
  const warn = vi.fn();
  expect(await new LiveTracking(tracked, { ...options, warn }).finish()).toBe(false);
  expect(warn).toHaveBeenLastCalledWith(
    'Not everything could be sent: it is away. `agentgym runs track x` sends the rest.',
  );
});

it('does not wait longer than its deadline for a server that hangs, or that asks for hours', async () => {
  for (const outcome of ['hangs', new TrackingFailure('busy', true, 3600)] as const) {
    const warn = vi.fn();
    const tracked = subject(outcome, outcome, outcome);
    const live = new LiveTracking(tracked, { ...options, warn, deadlineSeconds: 0.2 });
    await sleep(20);
    const begun = performance.now();
    expect(await live.finish()).toBe(false);
    expect(performance.now() - begun).toBeLessThan(5000);
  }
});

it('stops at an interruption, and tells what the server refused', async () => {
  const tracked = { ...subject('hangs', 'hangs'), sent: { ...nothing, refusals: ['no files'] } };
  const warn = vi.fn();
  const live = new LiveTracking(tracked, { ...options, warn });
  const interruption = new AbortController();
  setTimeout(() => interruption.abort(), 20);
  expect(await live.finish(interruption.signal)).toBe(false);
  expect(warn).toHaveBeenLastCalledWith('no files.');
});
