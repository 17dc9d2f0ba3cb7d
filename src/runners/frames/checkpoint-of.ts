/** The name of the checkpoint, or of the start of a stage, to which a file of a run belongs. */
export function checkpointOf(path: string): string | undefined {
  return /^checkpoints\/(step-\d+|[^/]+-start)\//.exec(path)?.[1];
}
