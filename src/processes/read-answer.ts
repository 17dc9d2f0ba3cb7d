/** An answer of a program to a question, or its error. */
export interface ProgramAnswer {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
  /** `UNAVAILABLE`: what the program works with is down. Only with an error. */
  readonly code?: string;
}

/**
 * Reads a line such as `{"id": 7, "answer": ...}` or `{"id": 7, "error": "..."}`. Returns undefined for any other line,
 * and for an id beyond `asked`, the number of questions so far.
 */
export function readAnswer(line: string, asked: number): ProgramAnswer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, answer, error, code } = value as { [name: string]: unknown };
  if (!Number.isInteger(id) || (id as number) < 1 || (id as number) > asked) return undefined;
  if ((answer === undefined) === (error === undefined)) return undefined;
  if (error === undefined) return { id: id as number, answer };
  if (typeof error !== 'string') return undefined;
  return { id: id as number, error, ...(code === 'UNAVAILABLE' && { code }) };
}
