import type { FileHandle } from 'node:fs/promises';

/**
 * Opens files that somebody else wrote: models, games, demonstrations. Only regular files are opened, also behind symbolic
 * links, because a pipe or a device may block for ever or have no end. Every method throws AG_FILE_REFUSED if the path is
 * something else, and the error of the operating system if it cannot be opened. A plugin lets both pass.
 */
export interface OutsideFiles {
  /** For reading. The caller closes it. */
  open(path: string): Promise<FileHandle>;
  /**
   * The whole content. Throws AG_FILE_REFUSED, before it reads, if the file is larger than `mostBytes` (default: 64 MiB), and
   * if the file becomes shorter meanwhile.
   */
  read(path: string, mostBytes?: number): Promise<Buffer>;
  /** Like `read`, for code that cannot wait. */
  readSync(path: string, mostBytes?: number): Buffer;
}
