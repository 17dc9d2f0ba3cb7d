export interface MatchSettings {
  /**
   * The command did less than the document says, so every number matches any number, and spaces match any number of
   * spaces.
   */
  readonly anyNumbers: boolean;
}

/**
 * Whether a command printed the output that a document shows, line by line. `...` matches any text, and on a separate
 * line any lines. The document must show all printed lines, from the first to the last.
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
      ? exact
          .replaceAll(/\d+(?:,\d{3})*(?:\\\.\d+)?k?/g, '\\d+(?:,\\d{3})*(?:\\.\\d+)?(?:k|e\\d+)?')
          .replaceAll(/ +/g, ' +')
      : exact;
  });
  return parts.join('.*');
}
