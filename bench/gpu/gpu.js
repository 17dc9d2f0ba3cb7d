// Every engine that works on this machine beside PyTorch, within ten minutes: one command for a machine with a GPU.
//   npm run bench -- gpu [--install] [--device cpu|gpu] [--minutes N] [--python PATH]
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { probeEngine } from '../../plugins/policy-transformer/dist/policy/probe-engine.js';
import { engines } from '../../plugins/policy-transformer/dist/policy/engine-sizes.js';
import { openHalfABillion } from '../models/half-a-billion.js';
import { cacheDirectory, trlEnvironment } from '../sides/python-environment.js';
import { UsageError } from '../sides/usage-error.js';

const runner = fileURLToPath(new URL('../run.js', import.meta.url));
const agentgym = fileURLToPath(new URL('../../bin/run.js', import.meta.url));
const engineFolder = join(cacheDirectory, 'plugins', '@agentgym', 'plugin-policy-transformer');

/** Engines with the numbers that they multiply, the fastest on such a device first. */
const contenders = {
  gpu: [['tensorflow', 'bfloat16'], ['cuda'], ['webgpu'], ['tensorflow']],
  cpu: [['native'], ['tensorflow'], ['tensorflow', 'bfloat16']],
};

/** What `--install` installs before. */
const installed = { gpu: ['tensorflow', 'cuda'], cpu: ['tensorflow'] };

/** What is measured with each engine, the most telling first. */
const measurements = [
  ['models', '--rounds', '2', '--only', 'LoRA step of 2 x 256', '--only', 'decode, 8 rows'],
  ['engine', '--rounds', '2'],
  ['rl', '--rounds', '2', '--iterations', '6'],
  ['decode', '--rounds', '2'],
];

/** Runs the measurements one after the other until the time is over. Returns the exit code: 1 if something failed. */
export async function measure(args) {
  const { values } = parseArgs({
    args,
    options: {
      install: { type: 'boolean', default: false },
      device: { type: 'string', default: 'gpu' },
      minutes: { type: 'string', default: '10' },
      python: { type: 'string' },
    },
  });
  const { install, device, minutes, python } = values;
  if (contenders[device] === undefined) throw new UsageError(`--device is cpu or gpu, not ${device}`);
  for (const engine of install ? installed[device] : []) {
    spawnSync(process.execPath, [agentgym, 'doctor', '--fix', engine, '--yes'], { stdio: 'inherit' });
  }
  await openHalfABillion({ python });
  trlEnvironment(python);
  const end = performance.now() + 60_000 * Number(minutes);
  const found = [];
  for (const [engine, precision = 'float32'] of contenders[device]) {
    const probe = await probeEngine(engines[engine], engineFolder, false);
    if ('problem' in probe) console.log(`${engine}: does not work here: ${probe.problem}`);
    else found.push([engine, precision]);
  }
  const pythons = python === undefined ? [] : ['--python', python];
  const left = [];
  let failed = false;
  for (const [name, ...options] of measurements) {
    for (const [engine, precision] of found) {
      const all = [name, ...options, '--engine', engine, '--precision', precision, '--device', device, ...pythons];
      if (name === 'rl' && python !== undefined) all.push('--trl', python);
      const remaining = end - performance.now();
      const result = remaining > 0 ? await run(all, remaining) : 'late';
      if (result === 'late') left.push(`${name} with ${engine} in ${precision}`);
      failed ||= result === 'failed';
    }
  }
  if (left.length > 0) console.log(`\nNo time was left for: ${left.join('; ')}. --minutes gives more.`);
  return failed || found.length === 0 ? 1 : 0;
}

/** Runs one measurement in a process of its own: two engines may need different versions of a library. */
async function run(options, milliseconds) {
  console.log(`\n$ npm run bench -- ${options.join(' ')}`);
  const child = spawn(process.execPath, [runner, ...options], { stdio: ['ignore', 'inherit', 'inherit'] });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, milliseconds);
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearTimeout(timer);
  // A missed goal is 1, too, so only a crash or a refusal counts as failed.
  if (late) return 'late';
  return code === 0 || code === 1 ? 'done' : 'failed';
}
