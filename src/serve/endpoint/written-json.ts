// JSON texts that are written again without being read as numbers of JavaScript, which would lose digits of large integers and
// the difference between 1 and 1.0.

/** Texts, numbers, words and signs of valid JSON. */
const PART = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[a-z]+|[{}[\],:]/g;

/** Valid JSON without white space; numbers stay as they were written. */
export function compactJson(json: string): string {
  return (json.match(PART) ?? []).map((part) => (part.startsWith('"') ? sameText(part) : part)).join('');
}

/** Valid JSON as `json.dumps(json.loads(text), ensure_ascii=False)` of Python writes it, and so chat templates. */
export function pythonJson(json: string): string {
  const write = (part: string): string => {
    if (part.startsWith('"')) return sameText(part);
    if (part === ',' || part === ':') return `${part} `;
    return /^[-\d]/.test(part) ? pythonNumber(part) : part;
  };
  return (json.match(PART) ?? []).map(write).join('');
}

/** The JSON of a member of a JSON object; undefined if the object has none of this name. The last one counts. */
export function memberJson(json: string, name: string): string | undefined {
  let [depth, start, isKey] = [0, -1, false];
  let found: string | undefined;
  for (const { 0: part, index } of json.matchAll(PART)) {
    const closes = part === '}' || part === ']';
    if (depth === 1 && start >= 0 && (part === ',' || closes)) {
      found = json.slice(start, index).trim();
      start = -1;
    }
    if (closes) depth -= 1;
    else if (part === '{' || part === '[') depth += 1;
    else if (depth === 1 && part === ':' && isKey) start = index + 1;
    isKey = depth === 1 && part.startsWith('"') && JSON.parse(part) === name && start < 0;
  }
  return found;
}

function sameText(part: string): string {
  return JSON.stringify(JSON.parse(part));
}

/** An integer keeps its digits. Another number is written as `repr` of Python writes a float. */
function pythonNumber(written: string): string {
  if (!/[.eE]/.test(written)) return written === '-0' ? '0' : written;
  const value = Number(written);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `${sign}Infinity`;
  const [digits = '', power = ''] = Math.abs(value).toExponential().split('e');
  const exponent = Number(power);
  // Both languages take the fewest digits that give the same number again.
  if (exponent < -4 || exponent >= 16) {
    return `${sign}${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const all = digits.replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${all}`;
  const whole = all.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${all.slice(exponent + 1) || '0'}`;
}
