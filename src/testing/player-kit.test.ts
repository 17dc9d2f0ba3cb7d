import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { PlayerContext, TextPlayer } from '../contracts/player.js';
import { playerKit } from './player-kit.js';

let server: Server;
let address: string;

beforeAll(async () => {
  // It never answers.
  server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.closeAllConnections());
afterAll(() => server.close());

/** Asks its server with the signal, and says so if nobody listens. */
function right({ address: asked }: PlayerContext, changes: Partial<TextPlayer> = {}): TextPlayer {
  return {
    name: 'right',
    concurrency: 4,
    act: async (_, signal) => {
      signal.throwIfAborted();
      try {
        return await (await fetch(asked, { signal })).text();
      } catch (cause) {
        throw Object.assign(new Error(`${asked} does not answer`, { cause }), { code: 'UNAVAILABLE' });
      }
    },
    describe: () => ({ model: 'right' }),
    usage: () => ({ requests: 0 }),
    ...changes,
  };
}

const examine = (broken: (context: PlayerContext) => TextPlayer, secondsPerCall = 5) =>
  playerKit.check({ options: {}, create: (_, __, context) => broken(context) }, { secondsPerCall });

const defects: { readonly [id: string]: (context: PlayerContext) => TextPlayer } = {
  'server-down': (context) => right(context, { act: () => '' }),
  interrupted: (context) =>
    right(context, {
      act: (turn, signal) =>
        signal.aborted ? fetch(address).then((answer) => answer.text()) : right(context).act(turn, signal),
    }),
  facts: (context) => right(context, { describe: () => ({ at: Number.NaN }) }),
  'dispose-twice': (context) => {
    let disposed = 0;
    return right(context, {
      dispose: () => {
        disposed += 1;
        if (disposed > 1) throw new Error('it is gone');
      },
    });
  },
};

describe('the kit of players', () => {
  it('accepts a player that keeps the contract', async () => {
    expect(await examine(right)).toEqual([]);
  });

  it.each(Object.entries(defects))('finds the defect %s', async (id, broken) => {
    const found = (await examine(broken)).map((finding) => finding.id);
    expect(found).toContain(id);
  });

  it('tells an error without the code from a server that is down', async () => {
    const [finding] = await examine((context) => right(context, { act: () => Promise.reject(new Error('no')) }));
    expect(finding).toMatchObject({ id: 'server-down', message: 'the error of act() has no code UNAVAILABLE: no' });
  });

  it('names facts that are no JSON', async () => {
    const findings = await examine((context) => right(context, { describe: () => ({ at: Number.NaN }) }));
    expect(findings).toMatchObject([{ id: 'facts', message: 'describe().at: must be JSON, not NaN' }]);
  });

  it('refuses a player that can play no episode', async () => {
    const [finding] = await examine((context) => right(context, { concurrency: 0 }));
    expect(finding).toMatchObject({
      id: 'create',
      message: 'create().concurrency: must be a whole number above 0, not 0',
    });
  });

  it('has a defect for every check', () => {
    expect(['create', ...Object.keys(defects)].sort()).toEqual(playerKit.checks.map(({ id }) => id).sort());
  });
});
