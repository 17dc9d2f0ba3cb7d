import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { SamplerContext, TokenSampler } from '../contracts/sampler.js';
import { samplerKit } from './sampler-kit.js';

let server: Server;
let silent: string;

beforeAll(async () => {
  // It never answers.
  server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  silent = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.closeAllConnections());
afterAll(() => server.close());

/** Asks its server with the signal, and says so if nobody listens. */
function right({ address = '' }: SamplerContext, changes: Partial<TokenSampler> = {}): TokenSampler {
  const ask = async (signal: AbortSignal): Promise<never> => {
    signal.throwIfAborted();
    try {
      await fetch(address, { signal });
    } catch (cause) {
      throw Object.assign(new Error(`${address} does not answer`, { cause }), { code: 'UNAVAILABLE' });
    }
    throw new Error('it answered');
  };
  return {
    promises: { independent: false, draws: false, exact: false },
    connect: ask,
    publish: (_, signal) => ask(signal),
    generate: (_, __, signal) => ask(signal),
    describe: () => ({ server: 'right' }),
    ...changes,
  };
}

const examine = (broken: (context: SamplerContext) => TokenSampler) =>
  samplerKit.check({ options: {}, create: (_, __, context) => broken(context) }, { secondsPerCall: 5 });

const defects: { readonly [id: string]: (context: SamplerContext) => TokenSampler } = {
  'server-down': (context) => right(context, { publish: () => Promise.resolve() }),
  interrupted: (context) =>
    right(context, {
      publish: async (weights, signal) => {
        if (signal.aborted) await fetch(silent);
        return right(context).publish(weights, signal);
      },
    }),
  facts: (context) => right(context, { describe: () => ({ at: Number.NaN, model: undefined }) as never }),
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

describe('the kit of samplers', () => {
  it('accepts a sampler that keeps the contract', async () => {
    expect(await examine(right)).toEqual([]);
  });

  it.each(Object.entries(defects))('finds the defect %s', async (id, broken) => {
    expect((await examine(broken)).map((finding) => finding.id)).toContain(id);
  });

  it('names the call that has an error without the code', async () => {
    const [finding] = await examine((context) => right(context, { connect: () => Promise.reject(new Error('no')) }));
    expect(finding).toMatchObject({
      id: 'server-down',
      message: 'the error of connect() has no code UNAVAILABLE: no',
    });
  });

  it('names a promise that is missing', async () => {
    const promises = { independent: false, draws: false } as never;
    const [finding] = await examine((context) => right(context, { promises }));
    expect(finding).toMatchObject({ id: 'create', message: 'create().promises.exact is absent, not true or false' });
  });

  it('has a defect for every check', () => {
    expect(['create', ...Object.keys(defects)].sort()).toEqual(samplerKit.checks.map(({ id }) => id).sort());
  });
});
