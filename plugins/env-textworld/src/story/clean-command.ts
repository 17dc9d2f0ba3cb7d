/** Longer commands are cut: the original's interpreter reads no more either. */
const longestCommand = 200;

/** Typographic characters that a keyboard of the Z-machine lacks, and what is meant by them. */
const plain: { readonly [character: string]: string } = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u2026': '.',
};

/**
 * The command as one line of at most 200 small letters. Control characters and other white space become spaces.
 * Characters that the story does not know become question marks when the interpreter reads them.
 */
export function cleanCommand(command: string): string {
  return (
    command
      .slice(0, 4 * longestCommand)
      // The interpreter would do it too late: some letters become two, which then lie outside of the line.
      .toLowerCase()
      .replace(/[\s\p{Cc}\p{Zs}]+/gu, ' ')
      .replace(/[\u2018\u2019\u201c\u201d\u2013\u2014\u2026]/g, (character) => plain[character] ?? character)
      .replace(/[\p{Cs}\p{Cf}]/gu, '')
      .trim()
      .slice(0, longestCommand)
  );
}
