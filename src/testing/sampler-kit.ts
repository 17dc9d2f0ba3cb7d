import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GenerateRequest, Sampling } from '../contracts/policy.js';
import type { SamplerModule } from '../contracts/sampler.js';
import { creating, Kit, type SubjectOf } from './conformance-kit.js';
import { EMPTY_ADDRESS, type RemoteCheckSettings, remoteChecks, type RemoteContext } from './remote-checks.js';
import { testHost } from './test-host.js';

const sampling: Sampling = { temperature: 1, topP: 1, topK: 0 };

const request: GenerateRequest = {
  tokens: [1, 2, 3],
  sequence: 'one',
  endIds: [0],
  maxTokens: 2,
  draws: Float64Array.of(0.5, 0.25),
};

/** Checks a sampler against its contract, without a server. */
export const samplerKit = new Kit<SubjectOf<SamplerModule<never>>, RemoteCheckSettings, RemoteContext>({
  checks: remoteChecks,
  prepare: async (subject, settings, atEnd) => {
    const context = { address: EMPTY_ADDRESS, sampling };
    const folder = await mkdtemp(join(tmpdir(), 'agentgym-sampler-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    // An adapter without tensors: a header of two bytes, `{}`.
    await writeFile(join(folder, 'adapter_config.json'), '{"peft_type": "LORA", "base_model_name_or_path": "base"}');
    await writeFile(join(folder, 'adapter_model.safetensors'), Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0x7d));
    const create = creating('sampler', atEnd, () =>
      subject.create(subject.options as never, testHost(settings.seed), context),
    );
    const sampler = await create();
    return {
      calls: [
        { name: 'connect()', call: (signal) => sampler.connect(signal) },
        { name: 'publish()', call: (signal) => sampler.publish({ folder, base: { name: 'base' } }, signal) },
        // It may rely on weights, and none can be published here.
        { name: 'generate()', isLater: true, call: (signal) => sampler.generate([request], sampling, signal) },
      ],
      settings,
      facts: { 'describe()': sampler.describe() },
      create,
    };
  },
});
