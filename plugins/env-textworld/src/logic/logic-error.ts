/** The text of a logic is not what it should be. `line` counts from 1; 0 if the error belongs to no line. */
export class LogicError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(line > 0 ? `line ${line}: ${message}` : message);
    this.name = 'LogicError';
  }
}
