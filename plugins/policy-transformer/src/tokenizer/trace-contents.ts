/*
 * A template joins its own text with texts of others (descriptions of functions ...), and the joined text does not say
 * whose a character is. So the template is rendered once more with stand-ins for the characters of those texts, as far as
 * control tokens have them. Stand-ins have the same length and case; what JSON escapes stays. If the second text is the
 * first one behind its stand-ins, every other character is the template's own.
 */

/** A rendered text in which the characters of others are told from those of the template. */
export interface TracedText {
  /** The rendered text. */
  readonly text: string;
  /** The same with stand-ins for the characters of others, place by place. Control tokens in it are the template's. */
  readonly traced: string;
  /** The text behind the stand-ins of a part of `traced`. */
  readonly reveal: (part: string) => string;
}

/**
 * Words of JSON Schema and of declarations of functions. Templates look for them, so they keep their letters unless a
 * control token is spelled with them.
 */
const schemaWords = new Set(
  `type function name description parameters properties required items enum default format title object array string
  number integer boolean null anyOf oneOf allOf additionalProperties minimum maximum`.split(/\s+/),
);

/**
 * Renders JSON values of others with a template, and traces their characters.
 *
 * @param spellings the control tokens that no value may spell
 * @returns undefined if the characters cannot be traced, because the template computes with them
 */
export function traceContents<Values>(
  render: (values: Values) => string | undefined,
  values: Values,
  spellings: readonly string[],
): TracedText | undefined {
  const text = render(values);
  if (text === undefined) return undefined;
  const standIns = chooseStandIns(spellings, text + JSON.stringify(values));
  if (standIns === undefined) return undefined;
  const behind = new Map([...standIns].map(([unit, standIn]) => [standIn, unit]));
  const reveal = (part: string) => replaceUnits(part, (unit) => behind.get(unit));
  const strings = [...stringsOf(values)];
  // Templates that only write the values pass at once. Others compare words: then only words that could be a part of a
  // control token are hidden, besides all that is not a word.
  for (const start of [strings.filter((one) => !schemaWords.has(one)), []]) {
    const hidden = new Set(start);
    for (;;) {
      const hide = (one: string) =>
        replaceUnits(one, (unit) => (hidden.has(one) || !isWordUnit(unit) ? standIns.get(unit) : undefined));
      const traced = attemptRender(render, mapStrings(values, hide) as Values);
      if (traced === undefined || reveal(traced) !== text) break;
      const found = spellings.filter((spelling) => traced.includes(spelling));
      if (found.some((spelling) => [...spelling].some((character) => isEscaped(character)))) return undefined;
      const more = strings.filter((one) => !hidden.has(one) && found.some((spelling) => sharesWord(one, spelling)));
      if (more.length === 0) return { text, traced, reveal };
      for (const one of more) hidden.add(one);
    }
  }
  return undefined;
}

/** Capital and small letters that hardly any text has, for Latin ones, so that filters change their case: Glagolitic, Cherokee. */
const alphabets = [
  [0x2c_00, 0x2c_30],
  [0x13_a0, 0xab_70],
] as const;

/** A character for each code unit of the spellings, in both cases, that `used` lacks. Undefined if there are not enough. */
function chooseStandIns(spellings: readonly string[], used: string): ReadonlyMap<string, string> | undefined {
  const latin = Array.from({ length: 26 }, (_, place) => place);
  const alphabet = alphabets.find((cases) =>
    latin.every((place) => cases.every((first) => !used.includes(String.fromCharCode(first + place)))),
  );
  if (alphabet === undefined) return undefined;
  const standIns = new Map<string, string>();
  for (const place of latin) {
    standIns.set(String.fromCharCode(0x41 + place), String.fromCharCode(alphabet[0] + place));
    standIns.set(String.fromCharCode(0x61 + place), String.fromCharCode(alphabet[1] + place));
  }
  const taken = new Set(used.match(/[\ue000-\uf8ff]/g));
  const others = new Set(spellings.join('').split(''));
  let next = 0xe0_00;
  for (const unit of others) {
    if (standIns.has(unit) || isEscaped(unit)) continue;
    while (taken.has(String.fromCharCode(next))) next += 1;
    if (next > 0xf8_ff) return undefined;
    standIns.set(unit, String.fromCharCode(next));
    next += 1;
  }
  return standIns;
}

/** Whether JSON writes the character in another way. */
function isEscaped(character: string): boolean {
  return character < ' ' || character === '"' || character === '\\';
}

function isWordUnit(unit: string): boolean {
  return /^\w$/.test(unit);
}

/** Whether a word of a text, in any case, is a part of a spelling. */
function sharesWord(text: string, spelling: string): boolean {
  const letters = spelling.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).some((word) => letters.includes(word));
}

function replaceUnits(text: string, replace: (unit: string) => string | undefined): string {
  return text.replaceAll(/[^]/g, (unit) => replace(unit) ?? unit);
}

/** The strings of a JSON value, keys included. */
function* stringsOf(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    if (!Array.isArray(value)) yield key;
    yield* stringsOf(one);
  }
}

/** The JSON value with other strings and keys. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [change(key), mapStrings(one, change)]));
}

function attemptRender<Values>(render: (values: Values) => string | undefined, values: Values): string | undefined {
  try {
    return render(values);
  } catch {
    return undefined;
  }
}
