/** Number of characters shown before and after the first difference of two texts. */
const [before, after] = [12, 60];

/**
 * The first difference of two JSON values, with its path and both values: "facts.progress: 0.5 versus 0.25". The path
 * ends at a text, or at values of different kinds. Undefined if the values are equal.
 */
export function jsonDifference(a: unknown, b: unknown, path = ''): string | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return undefined;
  const place = path === '' ? '' : `${path}: `;
  if (!isMap(a) || !isMap(b) || Array.isArray(a) !== Array.isArray(b)) return `${place}${shownBeside(a, b)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const inner = path === '' ? key : Array.isArray(a) ? `${path}[${key}]` : `${path}.${key}`;
    const found = jsonDifference(a[key], b[key], inner);
    if (found !== undefined) return found;
  }
  return `${place}the order of the keys`;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Both values, shortened to the part around their first difference. */
function shownBeside(a: unknown, b: unknown): string {
  const [left, right] = [a, b].map((value) => JSON.stringify(value) ?? 'nothing') as [string, string];
  if (Math.max(left.length, right.length) <= before + after) return `${left} versus ${right}`;
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  const start = Math.max(0, same - before);
  const cut = (text: string) =>
    `${start > 0 ? '…' : ''}${text.slice(start, same + after)}${text.length > same + after ? '…' : ''}`;
  return `${cut(left)} versus ${cut(right)}${start > 0 ? `, from character ${same} on` : ''}`;
}
