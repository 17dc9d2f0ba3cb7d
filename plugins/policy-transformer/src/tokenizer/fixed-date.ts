/*
 * Today's date in a prompt would make runs depend on the day. Templates get this date instead: the default of Llama
 * 3.2's template. It was a Friday.
 */
export const fixedDate = '26 Jul 2024';

const parts: { readonly [directive: string]: string } = {
  a: 'Fri',
  A: 'Friday',
  b: 'Jul',
  B: 'July',
  d: '26',
  H: '00',
  I: '12',
  j: '208',
  m: '07',
  M: '00',
  p: 'AM',
  S: '00',
  y: '24',
  Y: '2024',
  '%': '%',
};

/** The fixed date at midnight, as Python's `strftime` writes it. Unknown directives stay as they are. */
export function formatFixedDate(format: string): string {
  return format.replace(/%-?([A-Za-z%])/g, (directive, letter: string) => parts[letter] ?? directive);
}
