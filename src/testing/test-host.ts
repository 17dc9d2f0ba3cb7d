import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DataColumns, DataSetOptions } from '../contracts/data-set.js';
import type { Call } from '../contracts/environment.js';
import type { EnvironmentHost, SharedLimitOptions, WorldProgramOptions } from '../contracts/host.js';
import type { SandboxOptions } from '../contracts/sandbox.js';
import type { PolicyHost } from '../contracts/policy.js';
import { creditTools } from '../credit/credit-tools.js';
import { openDataSet } from '../data/open-data-set.js';
import { outsideFiles } from '../files/outside-files.js';
import { spawnJsonLines } from '../processes/spawn-json-lines.js';
import { spawnOwned } from '../processes/spawn-owned.js';
import { createRandom } from '../random/create-random.js';
import { composeObservation } from '../rollout/compose-observation.js';
import { openProgramWorld } from '../rollout/remote/program-world.js';
import { SharedLimits, waitForTurn } from '../rollout/shared-limits.js';
import { openSandbox } from '../sandbox/open-sandbox.js';
import { boundedFetch } from '../transfers/bounded-fetch.js';
import { openJson } from '../transfers/open-json.js';
import { tellWaits } from '../transfers/tell-waits.js';

const folders: string[] = [];

/**
 * A seeded host for tests of plugins of every kind; it keeps log messages in `messages`. Its cache folder is temporary:
 * it is created on first use and removed when the process ends. Child processes end with the process.
 */
export function testHost(seed = 0): PolicyHost & EnvironmentHost & { readonly messages: string[] } {
  const openEncoder = () => Promise.reject(new Error('the host of tests opens no encoders: give it a function'));
  return Object.assign(testEnvironmentHost(), { random: createRandom(seed), credit: creditTools, openEncoder });
}

/** The host of environments and tools in tests: it has no random stream, like the real one. */
export function testEnvironmentHost(): EnvironmentHost & { readonly messages: string[] } {
  const messages: string[] = [];
  let cacheFolder: string | undefined;
  const say = (message: string) => void messages.push(message);
  const limits = new SharedLimits();
  const host = {
    log: { info: say, warn: say },
    found: {},
    fetch: tellWaits(boundedFetch, say),
    openJson,
    signal: new AbortController().signal,
    get cacheDirectory() {
      return (cacheFolder ??= temporaryFolder());
    },
    files: outsideFiles,
    spawn: spawnOwned,
    spawnJsonLines,
    openProgram: (command: string, args: readonly string[] = [], options: WorldProgramOptions = {}) =>
      openProgramWorld(command, args, options, host),
    takeTurn: (limit: string, options: SharedLimitOptions, call: Call) =>
      waitForTurn(call, limits.take(limit, options, call.signal)),
    openSandbox: (options: SandboxOptions = {}) => openSandbox(options, host.signal),
    openDataSet: <const Columns extends DataColumns>(options: DataSetOptions<Columns>) => openDataSet(options, host),
    composeObservation,
    messages,
  };
  return host;
}

function temporaryFolder(): string {
  if (folders.length === 0) process.once('exit', removeFolders);
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-test-'));
  folders.push(folder);
  return folder;
}

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
