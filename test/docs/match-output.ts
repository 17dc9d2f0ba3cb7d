export interface MatchSettings {
  /** The command did less than the document says, so that a number stands for any number, and spaces for any. */
  readonly anyNumbers: boolean;
}

/**
 * Whether a command printed what a document shows: line by line, `...` standing for anything, and on a line of its own
 * for any lines. What was printed before and after must be shown, too.
 */
export function matchesOutput(shown: readonly string[], printed: string, { anyNumbers }: MatchSettings): boolean {
  const lines = shown.map((line) => line.trimEnd());
  const pattern = lines.map((line) => (line === '...' ? '(?:.*\n)*' : `${linePattern(line, anyNumbers)}\n`)).join('');
  return new RegExp(`^\n*${pattern}\n*$`).test(`${printed.replaceAll(/[^\S\n]+$/gm, '').trimEnd()}\n`);
}

function linePattern(line: string, anyNumbers: boolean): string {
  const parts = line.split('...').map((part) => {
    const exact = part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return anyNumbers
      ? exact.replaceAll(/\d+(?:\\\.\d+)?k?/g, '\\d+(?:\\.\\d+)?(?:k|e\\d+)?').replaceAll(/ +/g, ' +')
      : exact;
  });
  return parts.join('.*');
}
