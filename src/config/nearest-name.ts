/** All real names are shorter. */
const longestName = 200;

/**
 * The candidate that a misspelt name most likely means, or undefined if none is close: at most a third of its letters
 * differ (Damerau-Levenshtein, swapped neighbours count once), or the candidate starts with the name.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  // A misspelt name is about as long as the real one, and comparisons of long names are slow.
  if (name.length > longestName) return undefined;
  const wanted = name.toLowerCase();
  for (const candidate of candidates) {
    const offered = candidate.toLowerCase();
    const near = editDistance(wanted, offered);
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, offered.length) / 3));
    const begins = wanted.length >= 3 && offered.startsWith(wanted);
    const distance = near <= limit ? near : begins ? limit : Infinity;
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The hint about a misspelt name: all candidates that add words to it, or the nearest, or `otherwise` if none is close. */
export function nearestHint(name: string, candidates: readonly string[], otherwise: string): string {
  const longer = candidates.filter((candidate) => candidate.startsWith(`${name}-`));
  const near = longer.length > 1 ? longer.join('`, `') : nearestName(name, candidates);
  return near === undefined ? otherwise : `Did you mean \`${near}\`?`;
}

function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i += 1) {
    const row: number[] = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity;
      row.push(Math.min(at(i - 1, j) + 1, (row[j - 1] ?? Infinity) + 1, substituted, swapped));
    }
  }
  return at(a.length, b.length);
}

/** A name without capitals, hyphens and underscores: `top_p` and `topP` are one name. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}
