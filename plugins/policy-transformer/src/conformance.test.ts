import { ReadableStream } from 'node:stream/web';

import { policyKit, optionDefaults, testHost } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options } from './options.js';
import { createPolicy } from './policy/create-policy.js';
import { InProcessEngine } from './worker/in-process-engine.js';

const texts = ['go north', '17 higher', 'You see a door.', 'The door is closed.', 'higher, 18 to 33', 'Play well.'];

describe.each([
  ['one core', 1, false, 'words', 'float32'],
  ['two cores and a value head', 2, true, 'bytes', 'float32'],
  ['a copy of 8 bits', 1, false, 'words', 'int8'],
] as const)('the conformance kit, %s', (_, threads, valueHead, tokenizer, samplingWeights) => {
  policyKit.describe(it, {
    create: () =>
      createPolicy(
        {
          ...optionDefaults(options),
          threads,
          microBatchTokens: 256,
          cacheMegabytes: 100,
          activationMegabytes: 100,
          tokenizer,
          samplingWeights,
          vocabularySize: 300,
        },
        testHost(2),
        { corpus: () => ReadableStream.from(texts), preset: 'pico', valueHead, maxTokens: 512 },
        (settings, cores, log) => InProcessEngine.create(settings, cores, log),
      ),
  });
});
