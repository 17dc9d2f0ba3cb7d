/** The grammar of a game is not what it should be; the message names the line, or the text. */
export class TextError extends Error {
  constructor(message: string, line?: number) {
    super(line === undefined ? message : `line ${line}: ${message}`);
    this.name = 'TextError';
  }
}
