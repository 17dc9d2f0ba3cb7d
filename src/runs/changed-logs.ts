/** What is said of logs that somebody changed. */
export function changedLogs(names: readonly string[]): string {
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} not what the run wrote: what it tells may be wrong.`;
}
