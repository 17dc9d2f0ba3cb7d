/** What a rendering may use: columns, and colours or not. */
export interface TerminalStyle {
  readonly width: number;
  readonly colour: boolean;
}

type Tone = 'bold' | 'dim' | 'green' | 'red' | 'cyan';

const codes: Record<Tone, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  red: [31, 39],
  cyan: [36, 39],
};

/** The style of a stream: no colours in a pipe, on a dumb terminal, or where NO_COLOR (no-color.org) says so. */
export function styleOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  environment: { readonly [name: string]: string | undefined },
): TerminalStyle {
  const terminal = stream.isTTY === true && environment['TERM'] !== 'dumb';
  // A terminal that does not know its size says 0.
  return { width: stream.columns || 80, colour: terminal && !environment['NO_COLOR'] };
}

/** Text in a tone, or as it is where there are no colours. */
export function paint(text: string, tone: Tone, { colour }: TerminalStyle): string {
  const [on, off] = codes[tone];
  return colour && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}
