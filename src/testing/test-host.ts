import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { AlgorithmHost } from '../contracts/algorithm.js';
import { creditTools } from '../credit/credit-tools.js';
import { createRandom } from '../random/create-random.js';

/** A host for tests of plugins, algorithms too: seeded, with a temporary cache folder; what is logged is kept in `messages`. */
export function testHost(seed = 0): AlgorithmHost & { readonly messages: string[] } {
  const messages: string[] = [];
  return {
    random: createRandom(seed),
    log: { info: (message) => void messages.push(message), warn: (message) => void messages.push(message) },
    signal: new AbortController().signal,
    cacheDirectory: mkdtempSync(join(tmpdir(), 'agentgym-test-')),
    credit: creditTools,
    messages,
  };
}
