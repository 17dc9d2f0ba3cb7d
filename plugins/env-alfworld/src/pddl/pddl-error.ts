/** A place in a text; lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A text of PDDL is not what it should be; the message names the line: `line 12, column 5: ...`. */
export class PddlError extends Error {
  constructor(message: string, at: Position) {
    super(`line ${at.line}, column ${at.column}: ${message}`);
    this.name = 'PddlError';
  }
}
