// The program of a thread that plays an environment. It opens the world that the main thread describes.
import { parentPort, workerData } from 'node:worker_threads';

import type { Contribution } from '../contracts/plugin.js';
import { checkShape } from '../errors/check-shape.js';
import { moduleShapes } from '../rollout/contribution-shapes.js';
import { createEnvironmentHost } from '../plugins/create-host.js';
import { openLocalWorld } from '../rollout/local-world.js';
import { serveWorld } from '../rollout/remote/serve-world.js';
import { turnsOverPort } from '../rollout/remote/thread-turns.js';
import type { FromThread } from '../rollout/remote/thread-messages.js';
import type { ThreadData } from './thread-data.js';

const { memory, ...data } = workerData as ThreadData & { readonly memory: SharedArrayBuffer };
const port = parentPort;
if (port === null) throw new Error('this program runs in a worker thread');

const log = (level: 'info' | 'warn') => (message: string) =>
  port.postMessage({ log: level, message } satisfies FromThread);

serveWorld(port, memory, async (signal) => {
  const { owner, entry, options, limits, title, cacheDirectory, sandbox } = data;
  const { default: contributions } = (await import(entry)) as { default: readonly Contribution[] };
  const found = contributions.find(({ kind, name }) => kind === owner.kind && name === owner.name);
  if (found?.kind !== 'environment') throw new Error(`${entry} has no environment ${owner.name}`);
  const module = checkShape(await found.load(), moduleShapes.environment, 'its module');
  const settings = { log: { info: log('info'), warn: log('warn') }, signal, cacheDirectory, sandbox };
  const host = createEnvironmentHost(settings, owner, {
    found: data.found,
    milliseconds: limits.milliseconds,
    take: turnsOverPort(port),
  });
  return openLocalWorld(() => module.open(options as never, host), { ...limits, title, signal });
});
