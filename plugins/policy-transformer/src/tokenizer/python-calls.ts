import { pythonToJson } from './python-json.js';

/*
 * The template library's `strip`, `lstrip`, `rstrip` and `| trim` ignore their arguments, remove the white space of
 * JavaScript (with U+FEFF, without U+0085 and U+001C to U+001F), and `| trim` refuses undefined values. Its `| tojson`
 * writes other numbers. Templates expect Python's. So these calls of a parsed template are redirected to functions that
 * do as Python does.
 */

/** The characters that Python's `str.isspace` calls white space. */
export const pythonSpace =
  '\t\n\v\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** Python's `text.lstrip(characters)`. */
export function stripStart(text: string, characters: string | null = pythonSpace): string {
  const all = new Set(characters ?? pythonSpace);
  let start = 0;
  for (const character of text) {
    if (!all.has(character)) break;
    start += character.length;
  }
  return text.slice(start);
}

/** Python's `text.rstrip(characters)`. */
export function stripEnd(text: string, characters: string | null = pythonSpace): string {
  const all = new Set(characters ?? pythonSpace);
  let end = text.length;
  for (;;) {
    const last = /[\ud800-\udbff][\udc00-\udfff]$|[^]?$/.exec(text.slice(Math.max(0, end - 2), end))![0];
    if (last === '' || !all.has(last)) return text.slice(0, end);
    end -= last.length;
  }
}

/** Python's `text.strip(characters)`. */
function stripText(text: string, characters: string | null = pythonSpace): string {
  return stripEnd(stripStart(text, characters), characters);
}

/** The functions that `redirectToPython` calls, as variables of a rendering. */
export const pythonFunctions = {
  python_tojson: pythonToJson,
  python_trim: (value: string | number | boolean | undefined, characters?: string) =>
    value === undefined ? '' : stripText(String(value), characters),
  python_strip: stripText,
  python_lstrip: stripStart,
  python_rstrip: stripEnd,
};

const redirected = new Map([
  ['strip', 'python_strip'],
  ['lstrip', 'python_lstrip'],
  ['rstrip', 'python_rstrip'],
]);

const filters = [
  ['trim', 'python_trim'],
  ['tojson', 'python_tojson'],
] as const;

/** A node of the library's syntax tree. */
interface Node {
  type?: string;
  [field: string]: unknown;
}

/** Changes `| trim`, `| tojson`, `.strip()`, `.lstrip()` and `.rstrip()` in a parsed template. */
export function redirectToPython(tree: object): void {
  const node = tree as Node;
  const call = (name: string, ...values: unknown[]) => {
    Object.assign(node, { type: 'CallExpression', callee: { type: 'Identifier', value: name }, args: values });
  };
  const filter = node['filter'] as Node | undefined;
  const callee = node['callee'] as Node | undefined;
  const filtered = node.type === 'FilterExpression' ? filters.find(([name]) => isNamed(filter, name)) : undefined;
  if (filtered !== undefined) {
    call(filtered[1], node['operand'], ...((filter!['args'] as unknown[] | undefined) ?? []));
  } else if (node.type === 'CallExpression' && callee?.type === 'MemberExpression' && callee['computed'] === false) {
    const name = redirected.get(String((callee['property'] as Node)['value']));
    if (name !== undefined) call(name, callee['object'], ...(node['args'] as unknown[]));
  }
  for (const child of Object.values(node)) {
    if (typeof child === 'object' && child !== null) redirectToPython(child);
  }
}

/** Whether a filter, with arguments or without, has this name. */
function isNamed(filter: Node | undefined, name: string): boolean {
  const named = filter?.type === 'CallExpression' ? (filter['callee'] as Node) : filter;
  return named?.type === 'Identifier' && named['value'] === name;
}
