/** Thrown by `process.exit` while plugins run: the process is not theirs to end. */
export class ExitError extends Error {
  constructor(readonly exitCode: unknown) {
    super(`it called process.exit(${String(exitCode ?? '')}), which would end agentgym; it should throw an error`);
  }
}
