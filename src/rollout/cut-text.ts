/**
 * A text that is too long, without its middle: `longest` UTF-16 units of it, half of them from its end, with a mark that
 * says how many were left out. Never splits a surrogate pair.
 */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = Math.floor(longest / 2);
  return joinEnds(text, longest - end, end, (head, tail) => {
    return `${text.length - head.length - tail.length} of ${text.length} characters`;
  });
}

/**
 * The beginning and the end of a text, with a mark between them.
 *
 * @param start UTF-16 units of the beginning, and `end` of the end; less where they split a surrogate pair
 * @param leftOut what the mark says was left out beside these ends
 */
export function joinEnds(
  text: string,
  start: number,
  end: number,
  leftOut: (head: string, tail: string) => string,
): string {
  const head = text.slice(0, start).replace(/[\uD800-\uDBFF]$/u, '');
  const tail = text.slice(text.length - end).replace(/^[\uDC00-\uDFFF]/u, '');
  const mark = `[cut: ${leftOut(head, tail)} left out]`;
  const joined = [head, mark, tail].filter((part) => part !== '').join('\n');
  // A slice would keep the whole text in memory as long as the episode exists.
  return Buffer.from(joined, 'utf16le').toString('utf16le');
}
