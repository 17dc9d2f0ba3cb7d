/** The judgement of a model. */
export interface ReadScore {
  readonly score: number;
  readonly reason?: string;
}

/**
 * Reads an answer strictly: a JSON object with `score` and perhaps `reason`, or a number alone, perhaps in a block of code.
 * Anything else is no judgement, so that no number in a sentence is taken for one.
 *
 * @returns what is wrong, as a clause, if it cannot be read
 */
export function readScore(text: string, best: number): ReadScore | string {
  const inside = /^```(?:json)?\s*\n([^]*)\n```$/.exec(text.trim())?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(inside);
  } catch {
    return 'it is not JSON';
  }
  if (typeof value === 'number') value = { score: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is no JSON object';
  const { score, reason, ...others } = value as { readonly [member: string]: unknown };
  const [other] = Object.keys(others);
  if (other !== undefined) return `it has the member ${JSON.stringify(other.slice(0, 40))}`;
  if (typeof score !== 'number' || !Number.isFinite(score)) return '`score` is no number';
  if (score < 0 || score > best) return `\`score\` is ${score}, and not from 0 to ${best}`;
  if (reason !== undefined && reason !== null && typeof reason !== 'string') return '`reason` is no text';
  return { score, ...(typeof reason === 'string' && { reason }) };
}
