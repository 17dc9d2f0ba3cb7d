import { readFileSync } from 'node:fs';

/** The number that a pattern finds in a file of /proc or /sys; undefined if there is none. */
export function numberInFile(path: string, pattern: RegExp, unit = 1): number | undefined {
  const found = pattern.exec(readProcFile(path))?.[1];
  return found === undefined ? undefined : Number(found) * unit;
}

/** The text of a file of /proc or /sys; empty if it cannot be read. */
export function readProcFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The fields of /proc/PID/stat from the third one on. The second field is a name in brackets with any content, so fields
 * are counted after it.
 */
export function statFields(pid: number): readonly string[] {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
