// Errors of the operating system are not defects: a full disk, a missing permission, a name that is too long. This file
// puts them into words.
import { getSystemErrorMap } from 'node:util';

import { AgentgymError } from './agentgym-error.js';

/** Codes that are about files and folders. */
const fileCodes = new Set(
  'EACCES EBUSY EDQUOT EEXIST EFBIG EIO EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE ENODEV ENOENT ENOSPC ENOTDIR ENOTEMPTY EPERM EROFS ETXTBSY EXDEV'.split(
    ' ',
  ),
);

/** Why the operating system refused, in words: "no space left on device (ENOSPC)". */
export function systemReason(error: unknown): string {
  const { errno, code, message } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known === undefined ? (message ?? String(error)) : `${known[1]} (${code ?? known[0]})`;
}

/** The error as one of the table, if a file or folder could not be used; undefined for any other error. */
export function fileError(error: unknown): AgentgymError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !fileCodes.has(code)) return undefined;
  return new AgentgymError('AG_FILE_FAILED', {
    message: `${path ?? 'A file'} cannot be used (${syscall}): ${systemReason(error)}.`,
    file: path,
    cause: error,
  });
}
