import type { DataFile } from '../contracts/data-set.js';
import { dataChanged, dataError } from './data-error.js';
import type { FoundFile } from './find-data-files.js';

/** The same file twice would put the same rows into two splits, or twice into one. Throws AG_DATA. */
export function refuseTwins(files: readonly DataFile[], found: readonly FoundFile[]): void {
  for (const [place, { sha256, bytes }] of files.entries()) {
    const twin = files.findIndex((file) => file.sha256 === sha256);
    if (twin === place || bytes === 0) continue;
    throw dataError(found[place]?.path ?? '', {
      problem: `has the same content as ${found[twin]?.path ?? ''}`,
      hint: 'Its rows would be in the data set twice: leave one of the files out.',
    });
  }
}

/** Compares the files with those of an earlier opening. Throws AG_DATA_CHANGED for the first difference. */
export function refuseChanged(
  files: readonly DataFile[],
  found: readonly FoundFile[],
  expected: readonly DataFile[],
): void {
  const isIn = (all: readonly DataFile[], { name, part }: DataFile) =>
    all.some((file) => file.name === name && file.part === part);
  const gone = expected.find((file) => !isIn(files, file));
  if (gone !== undefined) throw dataChanged(gone.name, `of the part "${gone.part}" is missing`);
  for (const [place, file] of files.entries()) {
    const path = found[place]?.path ?? file.name;
    if (!isIn(expected, file)) throw dataChanged(path, `was not a file of the part "${file.part}" before`);
    const before = expected[place];
    if (before?.name !== file.name) throw dataChanged(path, 'had another place among the files before');
    if (before.sha256 !== file.sha256) {
      throw dataChanged(path, `has changed: its SHA-256 is ${file.sha256}, and was ${before.sha256}`);
    }
  }
}
