import { visibleText } from './display-text.js';

/** The columns of a terminal, without a limit in a pipe, and whether it shows colours. */
export interface TerminalStyle {
  readonly width: number;
  readonly colour: boolean;
}

type Tone = 'bold' | 'dim' | 'green' | 'red' | 'cyan';

/**
 * Codes of ECMA-48, and their placeholders until a text is printed. The placeholders are noncharacters, which no text
 * contains.
 */
const tones: Record<
  Tone,
  { readonly code: readonly [on: number, off: number]; readonly mark: readonly [string, string] }
> = {
  bold: { code: [1, 22], mark: ['\ufdd0', '\ufdd1'] },
  dim: { code: [2, 22], mark: ['\ufdd2', '\ufdd3'] },
  green: { code: [32, 39], mark: ['\ufdd4', '\ufdd5'] },
  red: { code: [31, 39], mark: ['\ufdd6', '\ufdd7'] },
  cyan: { code: [36, 39], mark: ['\ufdd8', '\ufdd9'] },
};

const codeOf = new Map(
  Object.values(tones).flatMap(({ code, mark }) => mark.map((sign, i) => [sign, `\u001b[${code[i]}m`] as const)),
);

/** Whether lines can be written over: a person watches both streams on a terminal. */
export function isLive(
  stdout: { readonly isTTY?: boolean },
  stderr: { readonly isTTY?: boolean },
  environment: { readonly [name: string]: string | undefined },
): boolean {
  return stdout.isTTY === true && stderr.isTTY === true && environment['TERM'] !== 'dumb' && !environment['CI'];
}

/** The style of a stream: no colours in a pipe, on a dumb terminal, or if NO_COLOR (no-color.org) is set. */
export function styleOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  environment: { readonly [name: string]: string | undefined },
): TerminalStyle {
  const terminal = stream.isTTY === true && environment['TERM'] !== 'dumb';
  // A terminal that does not know its size reports 0. Whatever reads a pipe or a file has no width but the one it names.
  const named = Number(environment['COLUMNS']);
  return {
    width: stream.isTTY === true ? stream.columns || 80 : named > 0 ? named : Infinity,
    colour: terminal && !environment['NO_COLOR'],
  };
}

/** Text in a tone, or unchanged without colours. `printable` inserts the colour codes. */
export function paint(text: string, tone: Tone, { colour }: TerminalStyle): string {
  const [on, off] = tones[tone].mark;
  return colour && text !== '' ? `${on}${text}${off}` : text;
}

/**
 * Makes a text safe for a terminal; all code that writes to one calls this. Control characters, which files, models and
 * packages may contain, become visible signs. Marks of `paint` become colours.
 */
export function printable(text: string): string {
  return visibleText(text).replaceAll(/[\ufdd0-\ufdd9]/g, (mark) => codeOf.get(mark) ?? mark);
}
