/** White space of Python's `str.strip`, which is not quite that of JavaScript's `trim`. */
const edge = /^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/g;

/** A command without the white space around it; anything else counts in ALFWorld. */
export function stripCommand(command: string): string {
  return command.replaceAll('\ufeff', '\0').replace(edge, '').replaceAll('\0', '\ufeff');
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
