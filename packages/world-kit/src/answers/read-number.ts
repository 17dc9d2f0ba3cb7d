/** An exact number in lowest terms. The denominator is above 0. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Characters. Longer texts are no numbers: exact arithmetic with them would take long. */
const longest = 100;
const decimal = String.raw`(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+`;
const number = new RegExp(String.raw`^([+-]?)(${decimal})(?:e([+-]?\d{1,3}))?$`, 'i');
const ratio = /^([+-]?)(?:([^/]+)\/([^/]+)|\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\})$/;

/**
 * Reads a whole text as a number: `-3`, `1,234.50`, `1.5e-3`, `3/4`, `\frac{3}{4}`. Dollar signs around it, a percent
 * sign and a full stop behind it are ignored, as in the graders of GSM8K and MATH: `$1,200.` is 1200, and `50%` is 50.
 * Undefined for all other texts, also for a number among words.
 */
export function readNumber(text: string): Fraction | undefined {
  const written = text.trim();
  if (written.length > longest) return undefined;
  const bare = written
    .replace(/\.$/, '')
    .replace(/^([+-]?)\\?\$/, '$1')
    .replace(/(?:\\?[$%])+$/, '')
    .replace('\u2212', '-')
    .trim();
  const [, sign = '', over, under, texOver, texUnder] = ratio.exec(bare) ?? [];
  const [above, below] = [over ?? texOver, under ?? texUnder];
  if (above === undefined || below === undefined) return readDecimal(bare);
  const [top, bottom] = [readDecimal(sign + above.trim()), readDecimal(below.trim())];
  if (top === undefined || bottom === undefined || bottom.numerator === 0n) return undefined;
  return reduced(top.numerator * bottom.denominator, top.denominator * bottom.numerator);
}

function readDecimal(text: string): Fraction | undefined {
  const [, sign, digits, exponent = '0'] = number.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const [whole = '', part = ''] = digits.replaceAll(',', '').split('.');
  const value = BigInt(whole + part) * (sign === '-' ? -1n : 1n);
  const shift = BigInt(Number(exponent) - part.length);
  return shift < 0n ? reduced(value, 10n ** -shift) : reduced(value * 10n ** shift, 1n);
}

function reduced(numerator: bigint, denominator: bigint): Fraction {
  let [divisor, rest] = [numerator, denominator];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  // The divisor may be negative; the denominator is not afterwards.
  if (denominator < 0n !== divisor < 0n) divisor = -divisor;
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}
