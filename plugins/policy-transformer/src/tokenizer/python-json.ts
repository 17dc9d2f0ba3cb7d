/*
 * `| tojson` of a template as `transformers` defines it: Python's `json.dumps` with `ensure_ascii=False`. The template
 * library writes numbers as JavaScript does (`1e-7`, Python `1e-07`) and sorts keys by the language.
 */

/** A value of the template library: objects are maps of such values, lists are lists of them. */
interface Inner {
  readonly value: unknown;
}

/** Arguments of the filter, by name. */
type Named = ReadonlyMap<string, Inner>;

interface Style {
  readonly indent: string | undefined;
  readonly separators: readonly [item: string, key: string];
  readonly sortKeys: boolean;
  readonly ensureAscii: boolean;
}

/** The function behind `| tojson`. */
export function pythonToJson(value: unknown, ...rest: readonly unknown[]): string {
  const named = rest.find((one): one is Named => one instanceof Map);
  const given = (name: string) => named?.get(name)?.value ?? undefined;
  const indent = given('indent');
  const pair = given('separators') as readonly Inner[] | undefined;
  return write(value, '\n', {
    indent: typeof indent === 'number' ? ' '.repeat(indent) : undefined,
    separators: pair === undefined ? [indent === undefined ? ', ' : ',', ': '] : [textOf(pair[0]), textOf(pair[1])],
    sortKeys: given('sort_keys') === true,
    ensureAscii: given('ensure_ascii') === true,
  });
}

const textOf = (inner: Inner | undefined): string => String(inner?.value);

/** @param line what begins a line at this depth */
function write(value: unknown, line: string, style: Style): string {
  if (typeof value === 'number') return pythonNumber(value);
  if (typeof value === 'string') return quote(value, style);
  if (typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return 'null';
  const { indent, separators } = style;
  const deeper = indent === undefined ? '' : `${line}${indent}`;
  const inside = (inner: Inner) => write(inner.value, indent === undefined ? line : deeper, style);
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', (value as Inner[]).map(inside)]
    : ['{', '}', entriesOf(value, style).map(([key, one]) => `${quote(key, style)}${separators[1]}${inside(one)}`)];
  if (parts.length === 0 || indent === undefined) return `${open}${parts.join(separators[0])}${close}`;
  return `${open}${deeper}${parts.join(`${separators[0]}${deeper}`)}${line}${close}`;
}

function entriesOf(value: unknown, { sortKeys }: Style): (readonly [string, Inner])[] {
  if (!(value instanceof Map)) throw new Error(`tojson cannot write a ${typeof value}`);
  const entries = [...(value as Map<string, Inner>)];
  return sortKeys ? entries.sort(([a], [b]) => (a < b ? -1 : Number(a > b))) : entries;
}

function quote(text: string, { ensureAscii }: Style): string {
  const quoted = JSON.stringify(text);
  if (!ensureAscii) return quoted;
  return quoted.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Python writes numbers below 0.0001 with a power of ten, of two digits. */
function pythonNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const [digits, power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  return exponent < -4 ? `${digits}e-${String(-exponent).padStart(2, '0')}` : String(value);
}
