import { constants, type Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where to look for a program. */
export interface ProgramPlace {
  /** Absent: the folder of this process. */
  readonly cwd?: string | undefined;
  /** Its PATH is used. Absent: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Finds the absolute path of a command's file as a shell does: a name on the PATH, and a path with a slash from the
 * working folder. For POSIX systems.
 *
 * @throws an Error with code ENOENT (no such program, no such folder) or EACCES (a file that may not be run), which
 * names the command
 */
export async function findProgram(
  command: string,
  { cwd = process.cwd(), env = process.env }: ProgramPlace,
): Promise<string> {
  if (!(await found(cwd))?.isDirectory())
    throw notStarted(command, `its working directory ${cwd} is not a folder`, 'ENOENT');
  if (command === '') throw notStarted(command, 'it is empty', 'ENOENT');
  const folders = command.includes('/') ? [''] : (env['PATH'] ?? '/usr/bin:/bin').split(delimiter);
  let refused: string | undefined;
  for (const folder of folders) {
    const path = isAbsolute(command) ? command : resolve(cwd, join(folder, command));
    const file = await found(path);
    if (file === undefined) continue;
    const mayRun = access(path, constants.X_OK).then(
      () => file.isFile(),
      () => false,
    );
    if (await mayRun) return path;
    refused ??= path;
  }
  if (refused !== undefined) throw notStarted(command, `${refused} is not a file that this user may execute`, 'EACCES');
  const where = command.includes('/') ? 'there is no such file' : 'no folder on the PATH has such a program';
  throw notStarted(command, where, 'ENOENT');
}

/** The error for a command that cannot start. */
export function notStarted(command: string, why: string, code: string | undefined): Error {
  return Object.assign(new Error(`${command || 'a command without a name'} cannot be started: ${why}`), { code });
}

async function found(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}
