/**
 * Differences between two runs, as sentences: their logs line by line except `time/...`, their demonstrations and their
 * last checkpoint byte by byte. Empty if there are none.
 */
export function compareRuns(expected: string, found: string): string[];
