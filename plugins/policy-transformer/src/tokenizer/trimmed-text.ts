import { pythonSpace, stripEnd, stripStart } from './python-calls.js';

/** The characters that a template removes from the start and from the end of a text; often none. */
export interface TrimmedCharacters {
  readonly start: string;
  readonly end: string;
}

/** The characters with which a template is tried. If it removes all, it removes white space. */
const tried = [' ', '\t', '\n', '\r'];

/** @param isRemoved Whether a template removes these characters around a text. One of them is empty. */
export function findTrimmedCharacters(isRemoved: (start: string, end: string) => boolean): TrimmedCharacters {
  const removed = (isTrimmed: (character: string) => boolean) => {
    const found = tried.filter((character) => isTrimmed(character));
    return found.length === tried.length ? pythonSpace : found.join('');
  };
  return {
    start: removed((character) => isRemoved(character, '')),
    end: removed((character) => isRemoved('', character)),
  };
}

/** The text as a template that removes these characters writes it. */
export function trimText(text: string, { start, end }: TrimmedCharacters): string {
  return stripEnd(stripStart(text, start), end);
}
