import { shellWord } from '../errors/shell-word.js';

/** Words as input for a POSIX shell, quoted if necessary. */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
