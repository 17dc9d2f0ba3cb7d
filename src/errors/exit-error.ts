/** Thrown by `process.exit` while plugins run: the process is not theirs to end. */
export class ExitError extends Error {
  constructor(readonly exitCode: number | string | null | undefined) {
    super(`it called process.exit(${exitCode ?? ''}), which would end agentgym; throw an error instead`);
  }
}
