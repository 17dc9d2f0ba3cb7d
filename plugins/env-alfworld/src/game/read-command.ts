/** What Python's `str.strip` removes, by code: not quite what JavaScript's `trim` does. */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x1c && code <= 0x1f) || (code >= 9 && code <= 13);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  return (code >= 0x2000 && code <= 0x200a) || rareSpaces.has(code);
}

const rareSpaces: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);

/** A command without the white space around it; anything else counts in ALFWorld. */
export function stripCommand(command: string): string {
  let [start, end] = [0, command.length];
  while (start < end && isSpace(command.charCodeAt(start))) start += 1;
  while (end > start && isSpace(command.charCodeAt(end - 1))) end -= 1;
  return command.slice(start, end);
}

const longestCommand = 500;
/** `put mug 1 in/on desk 1`, as games before ALFWorld 0.4 wrote it. */
const put = /^(?:put|place) (.+?) (?:in\/on|in|on|into|onto|to) (.+)$/;

/**
 * The command as a list of admissible ones writes it: small letters, single blanks, no full stop at the end. Either
 * form of putting something down becomes the one that the game has.
 */
export function mendCommand(command: string, isAdmissible: (command: string) => boolean): string {
  if (command.length > longestCommand) return command;
  const plain = command.trim().toLowerCase().replace(/\s+/g, ' ').replace(/ ?\.$/, '');
  if (isAdmissible(plain)) return plain;
  const [, thing = '', place = ''] =
    put.exec(plain) ?? /^move (.+?) (?:in\/on|in|on|into|onto|to) (.+)$/.exec(plain) ?? [];
  return [`move ${thing} to ${place}`, `put ${thing} in/on ${place}`].find(isAdmissible) ?? plain;
}
