import { describe, expect, it } from 'vitest';

import { Graph } from '../graph/graph.js';
import { createExecutor } from './create-executor.js';
import { ExecutableCache } from './executable-cache.js';
import type { Executable, Executor, Program } from './executor.js';
import type { Runtime } from './load-runtime.js';

const silent = () => undefined;

/** A program with inputs and outputs of every element type. `table` may be bound. */
function program(initializers?: Program['initializers']): Program {
  const graph = new Graph();
  const rows = graph.gather(graph.input('table', [4, 3]), graph.input('ids', [2], 'int32'));
  const flag = graph.input('flag', [2, 1], 'bool');
  const out = graph.where(flag, graph.softmax(rows), -1);
  const outputs = { out, largest: graph.argMax(rows), off: graph.equal(graph.cast(flag, 'float32'), 0), same: out };
  return initializers ? { outputs, initializers } : { outputs };
}
const table = Float32Array.from({ length: 12 }, (_, i) => Math.sin(3 * i));
const inputs = { ids: Int32Array.of(2, 0), flag: Uint8Array.of(1, 0) };

async function check(executable: Executable, given: { readonly table?: Float32Array }): Promise<void> {
  const { out, largest, off, same } = await executable.run({ ...inputs, ...given });
  const row = [6, 7, 8].map((i) => Math.exp(table[i]!));
  const sum = row.reduce((a, b) => a + b);
  row.forEach((x, i) => expect(out![i]).toBeCloseTo(x / sum, 6));
  expect([...out!.slice(3)]).toEqual([-1, -1, -1]);
  expect(same).toEqual(out);
  expect(largest).toEqual(Int32Array.of(1, 1));
  expect([...off!]).toEqual([0, 1]);
}

describe.each(['onnxruntime-node', 'onnxruntime-web'] as const)('%s', (engine) => {
  it('runs a program, with its inputs bound or given', async () => {
    const executor = await createExecutor({ engine, threads: 1, log: silent });
    expect(executor.engine).toBe(engine);
    expect(executor.version).toMatch(/^\d+\.\d+/);
    const given = await executor.compile(program());
    expect([...given.inputs.keys()].sort()).toEqual(['flag', 'ids', 'table']);
    await check(given, { table });
    const bound = await executor.compile(program({ table }));
    expect([...bound.inputs.keys()].sort()).toEqual(['flag', 'ids']);
    await check(bound, {});
    await given.dispose();
    await bound.dispose();
  });
});

describe('createExecutor', () => {
  const broken = new Error('libonnxruntime.so.1: cannot open shared object file\nand more');
  const importPackage = (name: string) => (name === 'onnxruntime-web' ? import(name) : Promise.reject(broken));

  it('falls back to WebAssembly where no native library loads, and says why of each', async () => {
    const said: string[] = [];
    const log = (message: string) => said.push(message);
    const executor = await createExecutor({ threads: 1, log, importPackage, machine: 'linux-x64' });
    expect(executor.engine).toBe('onnxruntime-web');
    const reason = 'does not load: libonnxruntime.so.1: cannot open shared object file';
    expect(said).toEqual([
      `the policy uses onnxruntime-web, which is about four times slower (@agentgym/onnxruntime-linux-x64 ${reason}; onnxruntime-node ${reason})`,
    ]);
    const executable = await executor.compile(program({ table }));
    await check(executable, {});
    await executable.dispose();
    await expect(
      createExecutor({ engine: 'onnxruntime-node', threads: 1, log: silent, importPackage }),
    ).rejects.toThrow(/no native engine loads here: .*cannot open/);
  });

  // Goes red when createExecutor does not ask describeMismatch.
  it('says that a library is of another version', async () => {
    const said: string[] = [];
    const { InferenceSession, Tensor, env } = (await import('onnxruntime-node')) as unknown as Runtime;
    const older = { InferenceSession, Tensor, env: { ...env, versions: { common: '1.20.0', node: '1.20.0' } } };
    const executor = await createExecutor({
      threads: 1,
      log: (message) => said.push(message),
      importPackage: () => Promise.resolve(older),
      machine: 'linux-x64',
    });
    expect(executor.version).toBe('1.20.0');
    expect(said).toEqual([expect.stringMatching(/^@agentgym\/onnxruntime-linux-x64 has version 1.20.0; .*1.30.0/)]);
  });
});

describe('an executable', () => {
  it('names the input that is missing or does not fit, and ignores what it does not read', async () => {
    const executor = await createExecutor({ threads: 1, log: silent });
    const executable = await executor.compile(program());
    await expect(executable.run(inputs)).rejects.toThrow('input table is missing');
    await expect(executable.run({ ...inputs, table: new Float32Array(11) })).rejects.toThrow(
      /table must be float32\[4, 3\], not float32 of 11/,
    );
    await expect(executable.run({ ...inputs, table, ids: new Float32Array(2) })).rejects.toThrow(
      /ids must be int32\[2\], not float32 of 2/,
    );
    await check(executable, { table, other: table } as { table: Float32Array });
    await executable.dispose();
  });

  it('is not compiled from an initializer that does not fit', async () => {
    const executor = await createExecutor({ threads: 1, log: silent });
    await expect(executor.compile(program({ table: new Float32Array(3) }))).rejects.toThrow(/initializer table has 3/);
    await expect(executor.compile(program({ tabel: table }))).rejects.toThrow(/does not read: tabel/);
  });
});

describe('the cache of executables', () => {
  it('compiles each key once, and lets the least recently used one go', async () => {
    const executor = await createExecutor({ threads: 1, log: silent });
    const compiled: string[] = [];
    const disposed: string[] = [];
    const watched: Executor = {
      ...executor,
      compile: async (of) => {
        const executable = await executor.compile(of);
        const name = compiled.at(-1)!;
        return {
          inputs: executable.inputs,
          outputs: executable.outputs,
          run: (given) => executable.run(given),
          dispose: async () => {
            disposed.push(name);
            await executable.dispose();
          },
        };
      },
    };
    const cache = new ExecutableCache(watched, 2);
    const get = (key: string) =>
      cache.get(key, () => {
        compiled.push(key);
        return program();
      });
    const a = await get('a');
    await get('b');
    expect(await get('a')).toBe(a);
    await get('c');
    expect(compiled).toEqual(['a', 'b', 'c']);
    expect(disposed).toEqual(['b']);
    await check(a, { table });
    await cache.dispose();
    expect(disposed).toEqual(['b', 'a', 'c']);
  });
});
