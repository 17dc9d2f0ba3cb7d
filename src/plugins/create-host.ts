import { join } from 'node:path';

import type { EnvironmentPhase } from '../contracts/environment.js';
import type { EnvironmentHost, Host, Log } from '../contracts/host.js';
import type { Random } from '../contracts/random.js';
import { outsideFiles } from '../files/outside-files.js';
import { spawnJsonLines } from '../processes/spawn-json-lines.js';
import { spawnOwned } from '../processes/spawn-owned.js';
import { composeObservation } from '../rollout/compose-observation.js';
import type { CallMarks } from '../rollout/local-world.js';
import { openProgramWorld, type ProgramWorldSettings } from '../rollout/remote/program-world.js';
import { openSandbox } from '../sandbox/open-sandbox.js';
import { boundedFetch } from '../transfers/bounded-fetch.js';
import { openJson } from '../transfers/open-json.js';
import { tellWaits } from '../transfers/tell-waits.js';
import type { PluginOwner } from './call-plugin.js';

/** Settings that all plugins of a run share. */
export interface HostSettings {
  /** The run's root stream. Each contribution gets its own substream. */
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The CLI's cache folder; each package gets a folder inside. */
  readonly cacheDirectory: string;
  /**
   * Marks calls of an environment that block the main thread, with these limits. Absent: nothing watches the thread.
   */
  readonly markCalls?: (title: string, milliseconds: { readonly [phase in EnvironmentPhase]: number }) => CallMarks;
}

/** The host of a contribution: its own stream and cache folder, and a log that names the contribution. */
export function createHost(settings: HostSettings, owner: PluginOwner): Host {
  const random = settings.random.stream('contribution', owner.kind, owner.name);
  return { random, ...withoutRandom(settings, owner) };
}

/**
 * The host of an environment or a tool.
 *
 * @param found what an environment requires
 * @param milliseconds longest times of calls into programs; absent: a minute
 */
export function createEnvironmentHost(
  settings: Omit<HostSettings, 'random'>,
  owner: PluginOwner,
  found: EnvironmentHost['found'] = {},
  milliseconds?: ProgramWorldSettings['milliseconds'],
): EnvironmentHost {
  const host = withoutRandom(settings, owner);
  return {
    ...host,
    found,
    spawn: spawnOwned,
    spawnJsonLines,
    openProgram: (command, args = [], options = {}) =>
      openProgramWorld(command, args, options, { ...host, ...(milliseconds && { milliseconds }) }),
    openSandbox: (options = {}) => openSandbox(options, host.signal),
    // Few worlds have one, and its libraries take time to load.
    openDataSet: async (options) => (await import('../data/open-data-set.js')).openDataSet(options, host),
    composeObservation,
  };
}

function withoutRandom(settings: Omit<HostSettings, 'random'>, owner: PluginOwner): Omit<Host, 'random'> {
  const speak = (message: string) => `${owner.name}: ${message}`;
  const log: Log = {
    info: (message) => settings.log.info(speak(message)),
    warn: (message) => settings.log.warn(speak(message)),
  };
  return {
    log,
    fetch: tellWaits(boundedFetch, (message) => log.warn(message)),
    openJson,
    signal: settings.signal,
    cacheDirectory: join(settings.cacheDirectory, 'plugins', ...owner.package.split('/')),
    files: outsideFiles,
  };
}
