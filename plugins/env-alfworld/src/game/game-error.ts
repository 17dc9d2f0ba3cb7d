/** The file of a game is not what it should be; the message names the place: `pddl_problem, line 12: ...`. */
export class GameError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'GameError';
  }
}
