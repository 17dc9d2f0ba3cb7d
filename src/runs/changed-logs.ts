/** The warning about changed logs. */
export function changedLogs(names: readonly string[]): string {
  return `${names.join(' and ')} changed after the run wrote ${names.length === 1 ? 'it' : 'them'}: the results may be wrong.`;
}
