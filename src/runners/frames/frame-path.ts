import { isPassing } from './lasting-files.js';

/** Characters of the longest path. */
const longestPath = 1000;

/**
 * Whether a path names a file of a run that a job may send: relative, with forward slashes, without `.`, `..`, empty
 * parts and control characters, and none of the files that only the machine writes on which they lie.
 */
export function isFramePath(path: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  if (path.length > longestPath || /[\u0000-\u001f\u007f\\]/.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !isPassing(part));
}
