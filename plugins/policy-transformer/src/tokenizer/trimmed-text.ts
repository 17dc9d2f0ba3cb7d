import { pythonSpace, stripText } from './python-strip.js';

/** The characters that a template removes from both ends of a text; empty if it removes none. */
export type TrimmedCharacters = string;

/** The characters with which `findTrimmedCharacters` tries a template. If it removes all, it removes white space. */
const tried = [' ', '\t', '\n', '\r'];

/** @param isTrimmed Whether the template removes this character from both ends of a text. */
export function findTrimmedCharacters(isTrimmed: (character: string) => boolean): TrimmedCharacters {
  const found = tried.filter((character) => isTrimmed(character));
  return found.length === tried.length ? pythonSpace : found.join('');
}

/** The text as a template that removes these characters writes it. */
export function trimText(text: string, characters: TrimmedCharacters): string {
  return characters === '' ? text : stripText(text, characters);
}
