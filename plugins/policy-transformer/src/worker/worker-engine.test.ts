import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { GenerateRequest } from '@agentgym/cli';
import { testHost } from '@agentgym/cli/testing';
import { afterEach, describe, expect, it } from 'vitest';

import { randomParameters, small } from '../generation/fixtures/small-models.js';
import { trainableShapes } from '../model/parameters.js';
import type { EngineSettings } from './engine-core.js';
import type { Engine } from './engine.js';
import { InProcessEngine } from './in-process-engine.js';
import { packRequests, unpackAnswers } from './packed-requests.js';
import { ParameterBlock } from './parameter-block.js';
import { TokenHistories } from './token-histories.js';
import { WorkerEngine } from './worker-engine.js';

/** The threads run the code in `dist`: run `npm run build` after a change. */
const settings: EngineSettings = {
  engine: 'auto',
  config: small,
  valueHead: false,
  sessionThreads: 1,
  layered: false,
  microBatchTokens: 1024,
  activationBytes: 0,
  cacheBytes: 1e8,
  samplingWeights: 'float32',
};
const sampling = { temperature: 1, topP: 1, topK: 0 };
const log = () => undefined;

let open: Engine[] = [];
afterEach(async () => {
  for (const engine of open) await engine.dispose();
  open = [];
});

async function started(engine: Engine): Promise<Engine> {
  open.push(engine);
  const { random } = testHost(5);
  const { data } = new ParameterBlock(trainableShapes(small, settings)).fill(
    randomParameters(small, () => random.uniform()),
  );
  for (let core = 0; core < engine.cores; core += 1) await engine.call(core, 'setParameters', [data]);
  return engine;
}

function requests(count: number, maxTokens: number): GenerateRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    tokens: [1, 2, 3 + (index % 4)],
    sequence: `episode ${index}`,
    endIds: [],
    maxTokens,
    draws: Float64Array.from({ length: maxTokens }, (__, token) => ((index * 7 + token * 3) % 11) / 11 + 0.05),
  }));
}

const built = (name: string) => fileURLToPath(new URL(`../../dist/worker/${name}`, import.meta.url));

/** Runs the text in a new process, with `WorkerEngine` and `settings`. */
function inNewProcess(text: string): {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
} {
  const script = `
    import { WorkerEngine } from ${JSON.stringify(built('worker-engine.js'))};
    const settings = ${JSON.stringify(settings)};
    ${text}
  `;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    timeout: 20_000,
    encoding: 'utf8',
  });
}

/** Prints of each core of two engines whether a step without gradient leaves a denormal weight as it is. */
const printDenormals = `
  const denormals = new Float32Array(${new ParameterBlock(trainableShapes(small, settings)).data.length}).fill(1e-39);
  const engines = [1, 2].map(() => new WorkerEngine(settings, 2, (message) => console.log(message)));
  for (const engine of engines) {
    for (const core of [1, 0]) {
      await engine.call(core, 'setParameters', [denormals]);
      await engine.call(core, 'startStage', [{ name: 'sgd', options: {} }]);
      await engine.call(core, 'step', [[], { learningRate: 1, clipNorm: 1 }]);
      const [weight] = await engine.call(core, 'read', ['${[...trainableShapes(small, settings).keys()][0]}', 0, 1]);
      console.log(weight === 0 ? 'zero' : 'denormal');
    }
  }
`;

describe('WorkerEngine', () => {
  it('answers as a core on this thread does, on every thread', async () => {
    const here = await started(await InProcessEngine.create(settings, 1, log));
    const there = await started(new WorkerEngine(settings, 2, log));
    const asked = requests(6, 8);
    const expected = await here.call(0, 'generate', [packRequests(asked, new TokenHistories()), sampling]);
    for (const core of [0, 1])
      expect(await there.call(core, 'generate', [packRequests(asked, new TokenHistories()), sampling])).toEqual(
        expected,
      );
  });

  it('passes errors and aborts on, and goes on after them', async () => {
    const engine = await started(new WorkerEngine(settings, 2, log));
    await expect(
      engine.call(1, 'generate', [
        packRequests([{ ...requests(1, 1)[0]!, tokens: [] }], new TokenHistories()),
        sampling,
      ]),
    ).rejects.toThrow('has no tokens');
    const abort = new AbortController();
    const reason = new Error('enough');
    const long = engine.call(
      1,
      'generate',
      [packRequests(requests(64, 400), new TokenHistories()), sampling],
      abort.signal,
    );
    setTimeout(() => abort.abort(reason), 30);
    await expect(long).rejects.toBe(reason);
    expect(
      unpackAnswers(await engine.call(1, 'generate', [packRequests(requests(1, 2), new TokenHistories()), sampling])),
    ).toHaveLength(1);
    await engine.dispose();
    await expect(engine.call(0, 'facts', [])).rejects.toThrow('disposed');
  });

  it('says so when a thread dies, and does not keep the process alive', () => {
    const { stdout, stderr, status } = inNewProcess(`
      const idle = new WorkerEngine(settings, 2, () => undefined);
      console.log((await idle.call(1, 'facts', [])).engine);
      const broken = new WorkerEngine({ ...settings, config: null }, 2, () => undefined);
      await broken.call(1, 'takeGradient', []).catch((error) => console.log(error.message));
    `);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^onnxruntime-(node|web)\na thread of the policy ended: /);
    expect(status).toBe(0);
  });

  // Goes red when a thread is ended while the library runs, which ends the process, or when nobody waits for its end.
  it('can be disposed of during a call', () => {
    const large = { ...small, hiddenSize: 512, intermediateSize: 2048 };
    const { length } = new ParameterBlock(trainableShapes(large, settings)).data;
    const { stdout, stderr, status } = inNewProcess(`
      import { setTimeout } from 'node:timers/promises';
      import { packRequests } from ${JSON.stringify(built('packed-requests.js'))};
      import { TokenHistories } from ${JSON.stringify(built('token-histories.js'))};
      const asked = Array.from({ length: 64 }, (_, row) => ({
        ...{ tokens: [1, 2, 3], sequence: \`\${row}\`, endIds: [], maxTokens: 400, draws: new Float64Array(400).fill(0.5) },
      }));
      for (let round = 0; round < 6; round += 1) {
        const engine = new WorkerEngine({ ...settings, config: ${JSON.stringify(large)} }, 1, () => undefined);
        await engine.call(0, 'setParameters', [new Float32Array(${length}).fill(0.01)]);
        const call = engine.call(0, 'generate', [packRequests(asked, new TokenHistories()), ${JSON.stringify(sampling)}]);
        const outcome = call.then(() => 'answered', (error) => error.message);
        await setTimeout(300 + 40 * round);
        await engine.dispose();
        console.log(await outcome);
      }
    `);
    expect(stderr).toBe('');
    expect(stdout).toBe('the policy was disposed of\n'.repeat(6));
    expect(status).toBe(0);
  });

  const onLinux = it.runIf(`${process.platform}-${process.arch}` === 'linux-x64');

  onLinux('counts denormal numbers as zero on every core of every engine', () => {
    const { stdout, stderr } = inNewProcess(printDenormals);
    expect(stderr).toBe('');
    expect(stdout).toBe('zero\n'.repeat(4));
  });

  onLinux('says so when it cannot, and all cores are alike', () => {
    const { stdout, stderr } = inNewProcess(`
      import { createRequire } from 'node:module';
      const { InferenceSession } = createRequire(process.cwd() + '/')('onnxruntime-node');
      // ONNX Runtime makes the setting with the first session, even if its model cannot be read.
      await InferenceSession.create(new Uint8Array(1)).catch(() => undefined);
      ${printDenormals}
    `);
    expect(stderr).toBe('');
    const note = 'another part of this process used ONNX Runtime first, so denormal numbers do not count as zero';
    expect(stdout.split('\n').filter((line) => line.startsWith(note))).toHaveLength(2);
    expect(stdout.match(/^denormal$/gm)).toHaveLength(4);
  });
});
