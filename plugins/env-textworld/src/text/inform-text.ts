// What Inform makes of a text in its source. TextWorld writes names and descriptions of games into such a source.

const isLetter = (character: string | undefined): boolean => character !== undefined && /\p{L}/u.test(character);

/**
 * A part of a text with its apostrophes as Inform prints them: those that do not stand between letters become double
 * quotation marks, also where an apostrophe was meant (`the guys' room`, `the 90's`). Only a part that begins with `'s`
 * keeps its apostrophe, for the sake of `[noun]'s`.
 *
 * @param start Where the part begins: at the beginning of a text, or behind a bracket.
 */
export function quotedAsInform(text: string, start = 0, end = text.length): string {
  const part = text.slice(start, end);
  if (!part.includes("'")) return part;
  let printed = '';
  for (let place = 0; place < part.length; place++) {
    if (part[place] !== "'") printed += part[place] as string;
    else if (place === 0) printed += part[1] === 's' && !isLetter(part[2]) ? "'" : '"';
    else printed += isLetter(part[place - 1]) && isLetter(part[place + 1]) ? "'" : '"';
  }
  return printed;
}

/** A text with breaks as Inform reads them: a single line break is a space, more are the end of a paragraph. */
export function foldBreaks(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  let folded = (lines[0] as string).trimEnd();
  let empty = false;
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const isLast = index === lines.length - 1;
    const content = isLast ? line.trimStart() : line.trim();
    if (content === '' && !isLast) empty = true;
    else {
      folded += (empty ? '\n\n' : ' ') + content;
      empty = false;
    }
  }
  return folded;
}

/** Length of the parts into which TextWorld cuts an objective, because texts of a source must not be long. */
const objectivePart = 200;

/** An objective as a compiled story prints it: each part is a text of its own, so apostrophes at its edges are lost. */
export function objectiveAsInform(objective: string): string {
  return objective
    .split('\n')
    .map((line) => {
      let printed = '';
      for (let start = 0; start < line.length; start += objectivePart) {
        printed += quotedAsInform(line.slice(start, start + objectivePart));
      }
      return printed;
    })
    .join('\n');
}

/** A name of a room as a heading: letters after anything but a letter are large, others small. */
export function titleCase(name: string): string {
  let title = '';
  let inWord = false;
  for (const character of name) {
    const letter = isLetter(character);
    title += letter ? (inWord ? character.toLowerCase() : character.toUpperCase()) : character;
    inWord = letter;
  }
  return title;
}
