import type { PlayerModule, PlayerTurn } from '../contracts/player.js';
import { creating, Kit, type SubjectOf } from './conformance-kit.js';
import { EMPTY_ADDRESS, type RemoteCheckSettings, remoteChecks, type RemoteContext } from './remote-checks.js';
import { testHost } from './test-host.js';

/** Checks a player against its contract, without a server. */
export const playerKit = new Kit<SubjectOf<PlayerModule<never>>, RemoteCheckSettings, RemoteContext>({
  checks: remoteChecks,
  prepare: async (subject, settings, atEnd) => {
    const context = { address: EMPTY_ADDRESS, temperature: 0 };
    const create = creating('player', atEnd, () =>
      subject.create(subject.options as never, testHost(settings.seed), context),
    );
    const player = await create();
    const turn: PlayerTurn = {
      task: 'task',
      system: 'Guess my number.',
      observations: ['Guess a number between 1 and 9.'],
      texts: [],
      random: testHost().random,
      admissible: () => Promise.resolve(undefined),
    };
    if (!Number.isInteger(player.concurrency) || player.concurrency < 1)
      throw new Error(`create().concurrency: must be a whole number above 0, not ${player.concurrency}`);
    return {
      calls: [{ name: 'act()', call: (signal) => player.act(turn, signal) }],
      settings,
      facts: { 'describe()': player.describe(), ...(player.usage && { 'usage()': player.usage() }) },
      create,
    };
  },
});
