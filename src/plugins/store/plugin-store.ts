// Plugins are installed into generations: folders below the data folder, each with its own package.json and
// node_modules. A change works on a copy. One file names the folders of all plugins, and a rename replaces it. So a
// change that is killed at any moment leaves the old state, and no recovery is needed.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { AgentgymError, isAgentgymError } from '../../errors/agentgym-error.js';
import { hideSecrets } from '../../errors/hide-secrets.js';
import { acquireProcessLock, type ProcessLock } from '../../processes/process-lock.js';
import type { NpmSettings } from './run-npm.js';

/** The folder of installed plugins, and the host that installs them. */
export interface PluginStore extends NpmSettings {
  /** The CLI's data folder: oclif reads its package.json. */
  readonly dataDirectory: string;
  /** The package of the running host. `plugins` has the names of its built-in plugins. */
  readonly host: { readonly root: string; readonly version: string; readonly plugins: readonly string[] };
  /** Shows remarks to the user during the work. */
  readonly note: (line: string) => void;
}

/** A plugin as the data folder's package.json lists it, in the form that oclif reads. */
export interface StoredPlugin {
  readonly name: string;
  /** `link`: a folder outside the data folder that is used in place. */
  readonly type: 'user' | 'link';
  /** For a package of the registry: the requested range or tag. */
  readonly tag?: string;
  /** For a package from elsewhere: its origin, without secrets. */
  readonly url?: string;
  /** For a repository: its commit. */
  readonly commit?: string;
  /**
   * Folder of the package. Absent in lists written by oclif's own commands, which keep packages in the data folder
   * itself.
   */
  readonly root?: string;
}

/** A change in progress. */
export interface PluginChange {
  readonly plugins: readonly StoredPlugin[];
  /** A new folder with a copy of the installed plugins; created on the first call. */
  readonly stage: () => Promise<string>;
}

interface DataPackage {
  readonly oclif?: { readonly plugins?: readonly (StoredPlugin | string)[] };
}

const PATIENCE_MINUTES = 5;

/**
 * The plugins that a user installed or linked, in the order of the list; empty without a list. Throws if the list is
 * damaged.
 */
export async function readStoredPlugins(dataDirectory: string): Promise<readonly StoredPlugin[]> {
  const { oclif } = await readDataPackage(dataDirectory);
  return (oclif?.plugins ?? []).map((plugin) => {
    if (typeof plugin === 'string') return { name: plugin, type: 'user', tag: 'latest' };
    // Older lists hold whole addresses; the next change writes them without secrets.
    return plugin.url === undefined ? plugin : { ...plugin, url: hideSecrets(plugin.url) };
  });
}

/**
 * Changes the installed plugins, all or nothing: `change` works on a copy and returns the new list, or undefined for no
 * change. Only one change at a time; a second process waits for the first.
 *
 * @throws AgentgymError AG_PLUGIN_STORE_BUSY; AG_PLUGIN_INSTALL_FAILED if the data folder is not writable; errors of
 * `change`
 */
export async function changePlugins<Result>(
  store: PluginStore,
  change: (now: PluginChange) => Promise<{ readonly plugins?: readonly StoredPlugin[]; readonly result: Result }>,
): Promise<Result> {
  const generations = generationsFolder(store.dataDirectory);
  const lock = await takeLock(store, generations);
  let staged: string | undefined;
  let committed = false;
  try {
    const plugins = await readStoredPlugins(store.dataDirectory);
    await removeUnused(store.dataDirectory, plugins);
    const stage = async () => (staged ??= await copyGeneration(store, plugins));
    const { plugins: changed, result } = await change({ plugins, stage });
    if (changed !== undefined) {
      store.signal.throwIfAborted();
      await writePlugins(store.dataDirectory, changed);
      committed = true;
    }
    return result;
  } catch (error) {
    throw describeFileFailure(error, store.dataDirectory);
  } finally {
    if (!committed && staged !== undefined) await rm(staged, { recursive: true, force: true });
    lock.release();
  }
}

/**
 * The folder of a generation that holds a plugin; undefined for links and for packages that oclif's own commands
 * installed.
 */
export function generationOf(dataDirectory: string, plugin: StoredPlugin): string | undefined {
  if (plugin.type !== 'user' || plugin.root === undefined) return undefined;
  const [name] = relative(generationsFolder(dataDirectory), plugin.root).split(sep);
  return name === undefined || name === '' || name === '..' ? undefined : join(generationsFolder(dataDirectory), name);
}

/** Folder of a package inside a generation. */
export function packageFolder(generation: string, name: string): string {
  return join(generation, 'node_modules', ...name.split('/'));
}

function generationsFolder(dataDirectory: string): string {
  return join(dataDirectory, 'installed');
}

async function readDataPackage(dataDirectory: string): Promise<DataPackage> {
  const file = join(dataDirectory, 'package.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as DataPackage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (!(error instanceof SyntaxError)) throw error;
    const message = `the list of installed plugins is damaged: ${error.message}`;
    const hint = `Repair ${file}, or remove it and install your plugins again.`;
    throw new AgentgymError('AG_PLUGIN_INSTALL_FAILED', { message, hint, file, cause: error });
  }
}

/** Makes a change effective. */
async function writePlugins(dataDirectory: string, plugins: readonly StoredPlugin[]): Promise<void> {
  const now = await readDataPackage(dataDirectory);
  const next = { private: true, ...now, oclif: { schema: 1, ...now.oclif, plugins } };
  const temporary = join(generationsFolder(dataDirectory), 'package.json');
  await writeFile(temporary, `${JSON.stringify(next, null, 2)}\n`);
  await rename(temporary, join(dataDirectory, 'package.json'));
}

async function copyGeneration(store: PluginStore, plugins: readonly StoredPlugin[]): Promise<string> {
  const name = `${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`;
  const folder = join(generationsFolder(store.dataDirectory), name);
  const current = plugins.map((plugin) => generationOf(store.dataDirectory, plugin)).find((path) => path !== undefined);
  if (current === undefined) await mkdir(folder);
  else {
    const mode = constants.COPYFILE_FICLONE;
    await cp(current, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode });
  }
  return folder;
}

/**
 * Removes files of killed changes, and generations before the previous one: an active run may still load from the
 * previous one.
 */
async function removeUnused(dataDirectory: string, plugins: readonly StoredPlugin[]): Promise<void> {
  const used = new Set(plugins.map((plugin) => generationOf(dataDirectory, plugin)));
  const folder = generationsFolder(dataDirectory);
  const entries = await readdir(folder, { withFileTypes: true });
  const unused = entries.filter((entry) => entry.isDirectory() && !used.has(join(folder, entry.name)));
  // An npm process whose parent was killed may still write there. Folders that cannot be removed now are removed next
  // time.
  await Promise.all(unused.map(({ name }) => rm(join(folder, name), { recursive: true, force: true }).catch(() => {})));
}

async function takeLock(store: PluginStore, folder: string): Promise<ProcessLock> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw describeFileFailure(error, store.dataDirectory);
  }
  const until = Date.now() + 60_000 * PATIENCE_MINUTES;
  for (let told = false; ; told = true) {
    store.signal.throwIfAborted();
    try {
      return acquireProcessLock(folder, ({ pid }, file) => {
        const message = `process ${pid} is changing the plugins in ${dirname(folder)}`;
        const hint = `Wait until process ${pid} ends, or stop it with \`kill ${pid}\`; then run the same command again.`;
        return new AgentgymError('AG_PLUGIN_STORE_BUSY', { message, hint, file });
      });
    } catch (error) {
      if (!isAgentgymError(error)) throw describeFileFailure(error, store.dataDirectory);
      if (Date.now() > until) throw error;
      if (!told) store.note(`Waiting: ${error.message}.`);
    }
    await sleep(200);
  }
}

function describeFileFailure(error: unknown, dataDirectory: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isAgentgymError(error) || !/^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|ENOTDIR|EEXIST)$/.test(code ?? '')) return error;
  return new AgentgymError('AG_PLUGIN_INSTALL_FAILED', {
    message: `agentgym cannot write to the data folder ${dataDirectory}: ${message}`,
    hint: 'Make it writable, free disk space, or choose another folder with AGENTGYM_DATA_DIR.',
    cause: error,
  });
}
