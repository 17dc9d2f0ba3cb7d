import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SamplingModel } from '@agentgym/cli';
import { testHost } from '@agentgym/cli/testing';
import { beforeAll, describe, expect, it, vi } from 'vitest';

import { OnnxRuntimeExecutor } from '../executors/onnx-runtime-executor.js';
import type { TransformerOptions } from '../options.js';
import { EngineCore } from '../worker/engine-core.js';
import { policyOpener } from './fixtures/policy-opener.js';

const policyOf = policyOpener({ threads: 2 });

const shapes: readonly Partial<TransformerOptions>[] = [
  { loraRank: 4 },
  { loraRank: 4 },
  { loraRank: 2, loraDora: true },
];
let base = '';
const adapters: string[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'agentgym-base-'));
  await (await policyOf({}, { preset: 'nano' })).save(base);
  for (const [index, shape] of shapes.entries()) {
    const folder = await mkdtemp(join(tmpdir(), 'agentgym-adapter-'));
    await (await policyOf(shape, { from: base })).save(folder);
    await changeFactors(join(folder, 'adapter_model.safetensors'), index);
    adapters.push(folder);
  }
});

/** An adapter that was not trained changes nothing: all numbers get a share that depends on the adapter. */
async function changeFactors(path: string, index: number): Promise<void> {
  const bytes = await readFile(path);
  for (let at = 8 + Number(bytes.readBigUInt64LE(0)); at < bytes.length; at += 4) {
    bytes.writeFloatLE(bytes.readFloatLE(at) + 0.05 * Math.sin(at * (index + 1)), at);
  }
  await writeFile(path, bytes);
}

/** Two turns of some sequences, of which the second continues the first. */
async function play(model: SamplingModel) {
  const sampling = { temperature: 0.9, topP: 1, topK: 0 };
  let tokens = Array.from({ length: 6 }, (_, row) => [...model.encoder.begin('', `guess ${row % 3} between 4 and 33`)]);
  const turns = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const answers = await model.generate(
      tokens.map((own, row) => ({
        tokens: own,
        sequence: `episode ${row}`,
        endIds: [],
        maxTokens: 9,
        draws: Float64Array.from({ length: 9 }, (__, at) => 1 - testHost(row).random.stream(turn, at).uniform()),
      })),
      sampling,
    );
    turns.push(answers);
    tokens = tokens.map((own, row) => [...own, ...answers[row]!.tokens]);
  }
  return turns;
}

describe('adapters over the weights of an open model', () => {
  it('answer as alone, beside others and the model, and as policies of their own', async () => {
    const alone = [];
    for (const folder of adapters) {
      alone.push(await play(await (await policyOf({}, { from: base })).openAdapter!(folder, Infinity)));
    }
    const trained = [];
    for (const [index, shape] of shapes.entries()) {
      trained.push(await play(await policyOf(shape, { from: adapters[index]! })));
    }
    const bare = await play(await policyOf({}, { from: base }));
    expect(new Set([...alone, bare].map((turns) => JSON.stringify(turns))).size).toBe(shapes.length + 1);
    expect(alone).toEqual(trained);

    const compile = vi.spyOn(OnnxRuntimeExecutor.prototype, 'compile');
    const policy = await policyOf({}, { from: base });
    const together = await Promise.all(adapters.map((folder) => policy.openAdapter!(folder, Infinity)));
    expect(await Promise.all([policy, ...together].map(play))).toEqual([bare, ...alone]);
    await together[0]!.dispose();
    const compiled = compile.mock.calls.length;
    // The second adapter keeps the programs that it shared with the first one, and a new one takes them.
    const again = await policy.openAdapter!(adapters[0]!, Infinity);
    together[1]!.release(Array.from({ length: 6 }, (_, row) => `episode ${row}`));
    expect(await Promise.all([together[1]!, again].map(play))).toEqual([alone[1], alone[0]]);
    expect(compile.mock.calls.length).toBe(compiled);
    expect(again.encoder).toBe(policy.encoder);
  });

  it('are refused if the memory does not suffice, and for another base', async () => {
    const policy = await policyOf({}, { from: base });
    await expect(policy.openAdapter!(adapters[0]!, 1e5)).rejects.toThrow(/needs about \d+ MB of memory, and 0 MB are/);
    const first = await policy.openAdapter!(adapters[0]!, Infinity);
    // Only the numbers of the second one are new.
    await policy.openAdapter!(adapters[1]!, 1e6);
    await expect(policy.openAdapter!(adapters[2]!, 1e6)).rejects.toThrow('unload another adapter');
    const copy = await mkdtemp(join(tmpdir(), 'agentgym-base-'));
    await policy.save(copy);
    const other = await policyOf({}, { from: copy });
    await expect(other.openAdapter!(adapters[0]!, Infinity)).rejects.toThrow('which is not the model that is open');
    await expect(policy.openAdapter!(base, Infinity)).rejects.toThrow('has no adapter');
    await first.dispose();
  });

  it('keep the weights as they are, and need weights into which no adapter is merged', async () => {
    const policy = await policyOf({}, { from: base });
    const adapter = await policy.openAdapter!(adapters[0]!, Infinity);
    await expect(policy.load(base)).rejects.toThrow('cannot change while adapters');
    await expect(policy.optimizerStep({ learningRate: 1 })).rejects.toThrow('cannot change while adapters');
    await adapter.dispose();
    await policy.load(base);
    // One that could not be opened keeps nothing.
    vi.spyOn(EngineCore.prototype, 'openAdapter').mockImplementationOnce(() => {
      throw new Error('no memory left');
    });
    await expect(policy.openAdapter!(adapters[0]!, Infinity)).rejects.toThrow('no memory left');
    await policy.load(base);
    expect((await policyOf({}, { from: adapters[0]! })).openAdapter).toBeUndefined();
    const own = await policyOf({ loraRank: 4 }, { from: adapters[0]! });
    const alone = await policy.openAdapter!(adapters[1]!, Infinity);
    expect(await play(await own.openAdapter!(adapters[1]!, Infinity))).toEqual(await play(alone));
  });
});
