// A world whose steps wait for turns that all threads share.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

import { openLocalWorld } from '../../dist/rollout/local-world.js';
import { serveWorld } from '../../dist/rollout/remote/serve-world.js';
import { turnsOverPort } from '../../dist/rollout/remote/thread-turns.js';

const { memory, limits } = workerData;
const take = turnsOverPort(parentPort);

const tasks = { count: 'unbounded', id: String, random: (random) => String(random.integer(0, 9)) };
const world = {
  instructions: '',
  splits: { train: tasks, validation: tasks, test: tasks },
  create: () => {
    let task;
    return {
      reset: (given) => {
        task = given;
        return '';
      },
      async step(action, { signal }) {
        const end = await take('ports', { atOnce: 2 }, signal);
        if (task === 'exit') process.exit(3);
        await sleep(3);
        end();
        return {
          observation: '',
          reward: 0,
          terminated: true,
          truncated: false,
          facts: { success: true, invalid: false },
        };
      },
      act: () => '',
    };
  },
};
serveWorld(parentPort, memory, (signal) => openLocalWorld(() => world, { ...limits, signal }));
