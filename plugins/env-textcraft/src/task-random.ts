// Random numbers from a text, because a task must show the same in every run, with any seed and on every machine.

/** A sequence of whole numbers below a bound; the same text always gives the same sequence. */
export type DrawBelow = (bound: number) => number;

/** FNV-1a over UTF-16 units, 32 bits, with a different start for each of the four words of state. */
function hashText(text: string, start: number): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/** sfc32 (Chris Doty-Humphrey's small fast counter generator) seeded by the text. */
export function drawFrom(text: string): DrawBelow {
  let [a, b, c, counter] = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 1].map((start) => hashText(text, start)) as [
    number,
    number,
    number,
    number,
  ];
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let warm = 0; warm < 12; warm += 1) next();
  return (bound) => Math.floor((next() / 0x100000000) * bound);
}

/** A new list in an order that depends only on `draw` (Fisher and Yates). */
export function shuffleBy<T>(items: readonly T[], draw: DrawBelow): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = draw(last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
