// What a world in a process costs above its own work: microseconds of a step of a Python world, with one and with 64
// instances of one process in flight, and observations of 300 characters.
import { fileURLToPath } from 'node:url';

import { testHost } from '../../dist/testing/index.js';
import { localWorld } from '../../dist/rollout/local-world.js';
import { environmentPhases } from '../../dist/rollout/call-clock.js';
import { createRandom } from '../../dist/random/create-random.js';
import { watchForeignLoad } from '../sides/foreign-load.js';
import { median } from '../sides/median.js';

const program = fileURLToPath(new URL('echo_world.py', import.meta.url));
/** At most so many microseconds above the world's own work. */
const settings = [
  { inFlight: 64, most: 25 },
  { inFlight: 1, most: 80 },
];
const steps = 20_000;

/** Measures the world; undefined where there is no Python. */
export async function measureWorld({ python = 'python3', rounds }) {
  const host = testHost();
  const foreign = watchForeignLoad([]);
  const opened = await host.openProgram(python, [program]);
  const milliseconds = Object.fromEntries(environmentPhases.map((phase) => [phase, 60_000]));
  const limits = { milliseconds, observationCharacters: 16_384, signal: host.signal };
  const world = localWorld(opened, { title: 'echo', ...limits });
  try {
    // The world measures itself, in the same process.
    const own = Number(world.instructions);
    const rows = [];
    for (const { inFlight, most } of settings) {
      const instances = [];
      for (let count = 0; count < inFlight; count += 1) instances.push(await world.create());
      for (const instance of instances) await instance.reset('0', createRandom(1));
      const took = [];
      // The first round warms up.
      for (let round = 0; round <= rounds; round += 1) took.push(await secondsOf(instances));
      const microseconds = (1e6 * median(took.slice(1))) / steps - own;
      rows.push({ setting: `${inFlight} in flight`, backend: 'Python', what: 'us/step', ours: microseconds, most });
      for (const instance of instances) await instance.dispose();
    }
    return { title: `A process in Python, ${own.toFixed(1)} us of its own a step`, foreignCores: foreign(), rows };
  } finally {
    await world.close();
  }
}

async function secondsOf(instances) {
  const each = Math.floor(steps / instances.length);
  const begun = performance.now();
  await Promise.all(
    instances.map(async (instance) => {
      for (let step = 0; step < each; step += 1) await instance.step('go north');
    }),
  );
  return ((performance.now() - begun) / 1000) * (steps / (each * instances.length));
}
