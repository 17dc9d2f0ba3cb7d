/** Longest text of a server in a message, in characters. */
const LONGEST = 300;

/** A text of a server in one line. Servers may answer whole pages. */
export function shorten(text: string): string {
  const line = text
    .slice(0, 10 * LONGEST)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line;
}

/**
 * What an error says, in the forms of the servers: `message` (OpenAI, vLLM, llama.cpp), `detail` as a text or a list of
 * places with `msg` (FastAPI, Mistral), a text, or whatever else there is. Empty if there is nothing.
 */
export function wordsOf(error: unknown): string {
  if (error === undefined || error === null) return '';
  if (typeof error === 'string') return shorten(error);
  if (Array.isArray(error)) return shorten(error.slice(0, 5).map(wordsOf).join('; '));
  if (typeof error !== 'object') return String(error);
  const { detail, error: inner, error_description: described, loc, message, msg, reason, title } = error as Json;
  const told = [message, detail, msg, described, reason, inner, title].map(wordsOf).find((words) => words !== '');
  if (told === undefined) return shorten(JSON.stringify(error));
  return Array.isArray(loc) ? `${loc.join('.')}: ${told}` : told;
}

type Json = { readonly [member: string]: unknown };
