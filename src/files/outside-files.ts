import type { OutsideFiles } from '../contracts/files.js';
import { openRegularFile } from './open-regular-file.js';
import { readWholeFile, readWholeFileSync } from './read-whole-file.js';

/** How plugins read files that somebody else wrote. */
export const outsideFiles: OutsideFiles = { open: openRegularFile, read: readWholeFile, readSync: readWholeFileSync };
