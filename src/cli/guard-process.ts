// The process belongs to the command line, not to the plugins in it. Plugins cannot end it, and cannot write into the
// single document of `--json`. Threads and child processes of a plugin, native code, file descriptor 1 and
// `process.abort` cannot be controlled.
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { ExitError } from '../errors/exit-error.js';
import type { PluginSource } from '../plugins/plugin-source.js';

/** The parts of a package that messages need. */
type GuardedPlugin = Pick<PluginSource, 'root' | 'name' | 'version'>;

const own = fileURLToPath(new URL('../..', import.meta.url));

const exit = process.exit.bind(process);
let write: typeof process.stdout.write | undefined;
let isOwn = false;
let tell = (error: AgentgymError): number => error.exitCode;
let plugins: readonly GuardedPlugin[] = [];

/**
 * `main` calls this. Only our own process is guarded, not a process that just calls a command.
 *
 * @param tells reports an error and returns the exit code
 */
export function ownProcess(tells: (error: AgentgymError) => number): void {
  isOwn = true;
  tell = tells;
}

export function isOwnProcess(): boolean {
  return isOwn;
}

/** Reports an error and ends the process immediately. */
export function failProcess(error: AgentgymError): never {
  return exit(tell(error));
}

/**
 * Call this before plugins run. From then on `process.exit` throws, and under `--json` standard output goes to standard
 * error.
 */
export function guardProcess(guarded: readonly GuardedPlugin[], json: boolean): void {
  plugins = guarded;
  if (!isOwn) return;
  process.exit = (code) => {
    throw new ExitError(code);
  };
  if (!json || write !== undefined) return;
  write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

/** Call this when no plugin runs any more. */
export function releaseProcess(): void {
  process.exit = exit;
  if (write !== undefined) process.stdout.write = write;
  write = undefined;
}

/** Ends the process, even while plugins cannot. */
export function leaveProcess(code: number): never {
  return exit(code);
}

/** Writes the single document of `--json`. */
export function printDocument(document: unknown): void {
  // JSON does not escape some characters that control terminals: C1 controls, and signs that change the direction of
  // text.
  const text = `${JSON.stringify(document, null, 2).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;
  if (write === undefined) process.stdout.write(text);
  else write(text);
}

/**
 * Rejects with uncaught errors, such as an error in a timer of a plugin; the error then names the plugin.
 *
 * @param outlives called with an error that a plugin threw; true: the command continues
 */
export function uncaughtFailure(outlives: (error: AgentgymError) => boolean): Promise<never> {
  return new Promise((_, reject) => {
    process.on('uncaughtException', (thrown: Error) => {
      const error = blame(thrown);
      if (!isAgentgymError(error) || !outlives(error)) reject(error);
    });
  });
}

function blame(error: Error): Error {
  if (isAgentgymError(error)) return error;
  // Any value can be thrown, even a string.
  const culprit = pluginIn((error as Partial<Error> | undefined)?.stack ?? '');
  if (culprit === undefined) return error;
  return new AgentgymError('AG_PLUGIN_FAILED', {
    message: `the plugin ${culprit.name} ${culprit.version} threw an uncaught error: ${error.message}`,
    hint: `Report it to its author. Training is saved up to the last checkpoint.`,
    cause: error,
  });
}

/** The plugin with the innermost stack line; lines of agentgym itself are skipped. */
function pluginIn(stack: string): GuardedPlugin | undefined {
  const folders = plugins.map((plugin) => ({ plugin, folder: folderOf(plugin.root) }));
  const places: { plugin?: GuardedPlugin; folder: string }[] = [...folders, { folder: folderOf(own) }];
  // A plugin may be inside the folder of another plugin, or agentgym inside that of a project.
  places.sort((a, b) => b.folder.length - a.folder.length);
  for (const line of stack.split('\n').filter((text) => /^\s+at /.test(text))) {
    const place = places.find(({ folder }) => line.includes(folder) || line.includes(pathToFileURL(folder).href));
    if (place?.plugin !== undefined) return place.plugin;
  }
  return undefined;
}

function folderOf(root: string): string {
  try {
    return realpathSync(root) + sep;
  } catch {
    return root + sep;
  }
}
