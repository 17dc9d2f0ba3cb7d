import { parentPort, workerData } from 'node:worker_threads';

import { openLocalWorld } from '../../dist/rollout/local-world.js';
import { serveWorld } from '../../dist/rollout/remote/serve-world.js';
import { open } from './hostile-world.js';

const { memory, options, limits } = workerData;
serveWorld(parentPort, memory, (signal) => openLocalWorld(() => open(options), { ...limits, signal }));
