/** Where a function call stands in the text of an action: from its mark to behind its mark. */
export interface FoundCall {
  readonly start: number;
  readonly end: number;
}

/** How often a character of a text may be read to find its calls. */
const EFFORT = 16;

/**
 * The function calls of a text: a mark, one whole JSON object, a mark. A mark inside the JSON object, such as one in a
 * string of the arguments, is none.
 *
 * @returns the calls, and `end`: calls behind it were not searched, because too many objects before it do not end
 */
export function findCalls(
  text: string,
  { after, before }: { readonly before: string; readonly after: string },
): { readonly calls: readonly FoundCall[]; readonly end: number } {
  const calls: FoundCall[] = [];
  let effort = EFFORT * text.length;
  for (let start = text.indexOf(`${before}{`); start !== -1;) {
    if (effort < 0) return { calls, end: start };
    const object = start + before.length;
    const close = findObjectEnd(text, object);
    effort -= (close ?? text.length) - object;
    const end = close === undefined || !text.startsWith(after, close) ? undefined : close + after.length;
    if (end !== undefined && isJson(text.slice(object, close))) calls.push({ start, end });
    start = text.indexOf(`${before}{`, calls.at(-1)?.start === start ? end! : start + 1);
  }
  return { calls, end: text.length };
}

/** The place behind the JSON object that starts at a brace; undefined if it does not end. */
function findObjectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let place = start; place < text.length; place += 1) {
    const character = text[place];
    if (isString) {
      if (character === '\\') place += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return place + 1;
    }
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
