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
import { SharedLimits, type TakeLimit, takeFrom, waitForTurn } from '../rollout/shared-limits.js';
import { openChosenSandbox, type SandboxKind } from '../sandbox/choose-sandbox.js';
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
  /** How programs of an agent are kept apart. Absent: by bubblewrap. */
  readonly sandbox?: SandboxKind | undefined;
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

/** What a world has besides the settings of its run. */
export interface EnvironmentParts {
  /** What the environment requires. Absent: nothing. */
  readonly found?: EnvironmentHost['found'];
  /** Longest times of calls into programs. Absent: a minute. */
  readonly milliseconds?: ProgramWorldSettings['milliseconds'];
  /** Takes turns of limits that the run shares. Absent: they are shared by the callers of this host. */
  readonly take?: TakeLimit;
}

/** The host of an environment or a tool. */
export function createEnvironmentHost(
  settings: Omit<HostSettings, 'random'>,
  owner: PluginOwner,
  { found = {}, milliseconds, take = takeFrom(new SharedLimits()) }: EnvironmentParts = {},
): EnvironmentHost {
  const host = withoutRandom(settings, owner);
  return {
    ...host,
    found,
    spawn: spawnOwned,
    spawnJsonLines,
    openProgram: (command, args = [], options = {}) =>
      openProgramWorld(command, args, options, { ...host, ...(milliseconds && { milliseconds }) }),
    openSandbox: (options = {}) => openChosenSandbox(settings.sandbox ?? 'bubblewrap', options, host.signal),
    takeTurn: (limit, options, call) => waitForTurn(call, take(`${owner.package} ${limit}`, options, call.signal)),
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
