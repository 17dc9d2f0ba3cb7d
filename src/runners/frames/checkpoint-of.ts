/** The name of the checkpoint, or of the start of a stage, to which a file of a run belongs. */
export function checkpointOf(path: string): string | undefined {
  return /^checkpoints\/(step-\d+|[^/]+-start)\//.exec(path)?.[1];
}

/** What is sent and takes its place as a whole: the folder of a checkpoint, or a file. */
export function unitOf(path: string): string {
  const name = checkpointOf(path);
  return name === undefined ? path : `checkpoints/${name}`;
}
