/** Thrown by `process.exit` while plugins run, because a plugin must not end the process. */
export class ExitError extends Error {
  constructor(readonly exitCode: number | string | null | undefined) {
    super(`it called process.exit(${exitCode ?? ''}), which would end agentgym; throw an error instead`);
  }
}
