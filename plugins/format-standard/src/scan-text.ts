// Searches in text of a policy. Each takes linear time for any text, and none uses a regular expression that backtracks.

/** Text between two marks, and the position of the first mark. */
export interface Span {
  readonly start: number;
  readonly content: string;
}

/** The last closed span: from the last opening mark that a closing mark follows, up to the first of these. */
export function findLastBetween(text: string, open: string, close: string): Span | undefined {
  const start = findLastOpen(text, open, close);
  if (start === -1) return undefined;
  const inside = start + open.length;
  return { start, content: text.slice(inside, text.indexOf(close, inside)) };
}

/** The last opening mark that a closing mark follows without overlap; -1 if there is none. */
function findLastOpen(text: string, open: string, close: string): number {
  const latest = text.lastIndexOf(close) - open.length;
  return latest < 0 ? -1 : text.lastIndexOf(open, latest);
}

const boxOpening = '\\boxed{';
const [openBrace, closeBrace] = ['{', '}'].map((brace) => brace.charCodeAt(0));

/** The content of the last `\boxed{...}` whose braces are balanced. Braces that are never closed do not matter. */
export function findLastBox(text: string): Span | undefined {
  // Positions after the open braces, negative for those of other things than boxes.
  const open: number[] = [];
  let best: { readonly inside: number; readonly end: number } | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === openBrace) {
      const inside = index + 1;
      open.push(text.startsWith(boxOpening, inside - boxOpening.length) ? inside : -inside);
    } else if (code === closeBrace) {
      const inside = open.pop() ?? -1;
      if (inside > (best?.inside ?? 0)) best = { inside, end: index };
    }
  }
  return best && { start: best.inside - boxOpening.length, content: text.slice(best.inside, best.end) };
}

const fence = /^ {0,3}(`{3,})([^`]*)$/u;

/** The content of the last closed fenced block, as in Markdown: at least as many backticks close it as open it. */
export function findLastFencedBlock(text: string): Span | undefined {
  let last: Span | undefined;
  let open: { readonly ticks: number; readonly start: number; readonly inside: number } | undefined;
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = isFence(text, start) ? fence.exec(text.slice(start, end).replace(/\r$/u, '')) : null;
    const [, ticks = '', info = ''] = line ?? [];
    if (open === undefined) {
      if (line !== null) open = { ticks: ticks.length, start, inside: end + 1 };
    } else if (ticks.length >= open.ticks && info.trim() === '') {
      last = { start: open.start, content: text.slice(open.inside, Math.max(open.inside, start - 1)) };
      open = undefined;
    }
    start = end + 1;
  }
  return last;
}

/** Whether a line may be a fence. It spares most lines a copy. */
function isFence(text: string, start: number): boolean {
  let at = start;
  while (at < start + 3 && text[at] === ' ') at += 1;
  return text.startsWith('```', at);
}

/** The longest run of backticks. */
export function longestBackticks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/gu)) longest = Math.max(longest, run.length);
  return longest;
}

/** Where the JSON object that starts here ends, exclusive; undefined if it is not whole. */
export function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (isText && character === '\\') index += 1;
    else if (character === '"') isText = !isText;
    else if (!isText && character === '{') depth += 1;
    else if (!isText && character === '}' && (depth -= 1) === 0) return index + 1;
  }
  return undefined;
}

/** The JSON object of a text, or the reason why it is none. */
export function readJsonObject(text: string): { readonly object: { readonly [key: string]: unknown } } | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'no valid JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'JSON, but not an object';
  return { object: value as { readonly [key: string]: unknown } };
}
