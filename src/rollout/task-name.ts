/** A name for a task that no other environment of the run has. Without an entry it is the id. */
export function taskName({ entry, task }: { readonly entry?: string | undefined; readonly task: string }): string {
  return entry === undefined ? task : `${entry}/${task}`;
}
