/**
 * Where two runs differ, as sentences: their logs line by line but for `time/...`, and their last checkpoint byte by
 * byte. Empty: nowhere.
 */
export function compareRuns(expected: string, found: string): string[];
