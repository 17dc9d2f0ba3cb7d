import { setTimeout } from 'node:timers/promises';

import { expect, it } from 'vitest';

import type { TextPlayer } from '../contracts/player.js';
import { collectEpisodes } from './collect-episodes.js';
import { collectOptions, keys, rolloutSettings } from './fixtures/collect.js';

/** As clients of HTTP do, it listens to the signal of every call. */
function listener(concurrency: number, begun: AbortSignal[] = [], milliseconds = 5): TextPlayer {
  return {
    name: 'listener',
    concurrency,
    async act(_turn, signal) {
      begun.push(signal);
      signal.addEventListener('abort', () => undefined);
      await setTimeout(milliseconds);
      return 'stop';
    },
    describe: () => ({}),
  };
}

const rollout = { ...rolloutSettings, inFlight: 64 };

// Goes red when calls get the signal of the command itself: Node warns of more than ten listeners.
it('lets 64 players wait at the same time without a warning', async () => {
  const warnings: string[] = [];
  const hear = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
  process.on('warning', hear);
  const actor = { kind: 'player', player: listener(64) } as const;
  await collectEpisodes(keys(64, 1), collectOptions({ actor, rollout }));
  await setTimeout(1);
  process.off('warning', hear);
  expect(warnings).toEqual([]);
});

it('ends every call when the command is interrupted', async () => {
  const begun: AbortSignal[] = [];
  const controller = new AbortController();
  const actor = { kind: 'player', player: listener(64, begun, 500) } as const;
  const collecting = collectEpisodes(keys(64, 1), collectOptions({ actor, rollout, signal: controller.signal }));
  while (begun.length < 64) await setTimeout(1);
  controller.abort();
  await expect(collecting).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
  expect(begun.every(({ aborted }) => aborted)).toBe(true);
});
