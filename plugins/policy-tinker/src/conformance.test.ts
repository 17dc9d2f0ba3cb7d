import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { policyKit, TabularEncoder } from '@agentgym/cli/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';

import { create } from './create-policy.js';
import { startTinkerServer, type TinkerServer } from './fixtures/tinker-server.js';
import { hostWith, optionsFor } from './fixtures/test-policy.js';

const encoder = TabularEncoder.fromTexts('word', [
  ...['go north', '17', 'You see a door.', 'The door is closed.', 'higher, 18 to 33', 'Play well.'],
]);

describe.each([
  { server: 'skyrl-jax', reduction: 'sequence-mean', isBinary: true },
  { server: 'tinker', reduction: 'sum', isBinary: false },
] as const)('a policy on a server like $server', ({ isBinary, reduction, server }) => {
  let remote: TinkerServer;
  let from: string;
  beforeAll(async () => {
    remote = await startTinkerServer({ encoder, reduction, isBinary });
    from = await mkdtemp(join(tmpdir(), 'tinker-'));
    await writeFile(join(from, 'config.json'), '{"max_position_embeddings": 512}');
  });
  afterAll(async () => {
    await remote.close();
    await rm(from, { recursive: true });
  });
  policyKit.describe(it, {
    create: () =>
      create(optionsFor(remote.url, { server }), hostWith(encoder), {
        from,
        valueHead: false,
        corpus: async function* () {},
      }),
  });
});
