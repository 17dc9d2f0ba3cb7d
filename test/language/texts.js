// Texts that a rule of words may split in a wrong way, from a seed.
const pick = (random, list) => list[random.integer(0, list.length)];
const some = (random, most, make) =>
  Array.from({ length: random.integer(1, most + 1) }, (_, place) => make(place)).join('');

const words = [
  'guess',
  'The',
  'number',
  'HTTPServer',
  'naïve',
  'straße',
  'ﬁnal',
  'don',
  'I',
  'x',
  'İstanbul',
  'ſ',
  'co-op',
];
const accents = [
  'e\u0301',
  'A\u030a',
  'n\u0303',
  'o\u0302\u0301',
  'c\u0327a',
  'u\u0308ber',
  '\u1100\u1161\u11a8',
  '\u03b9\u0308\u0301',
  '\u212b',
];
const emoji = ['🙂', '👩‍👩‍👧', '🇩🇪', '✌🏽', '❤️', '☃', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🫠', '🀄'];
const asian = ['数字を当てて', '猜数字', '숫자', '。', '「', '」', 'ｶﾀｶﾅ', '𠮷', '々', '　', 'ประเทศ', 'हिन्दी', 'தமிழ்'];
const arabic = ['خمّن', 'الرقم', '٣٤٥', '۱۲', '،', 'עברית', 'שָׁלוֹם', '\u200f', 'لا', 'ـ'];
const code = [
  'def f(x):\n\treturn x**2',
  'a->b()',
  '!= ===',
  '/* c */',
  '"\\n"',
  '{{ x }}',
  '<div class="a">',
  '$HOME/.x',
  '#include <a.h>\r\n',
  "it's",
  "I'LL",
  "'S",
  "we'Ve",
  "'\u017f",
  '::',
  '0x1F',
  '1e-5',
  '`ls`',
];
const numbers = ['0', '7', '12', '345', '6789', '1,234.5', '½', '²', 'Ⅷ', '①', '1234567890123', '-3', '𝟙𝟚', '௧'];
const blanks = [
  ' ',
  '  ',
  '   ',
  '\t',
  '\n',
  '\n\n',
  '\r\n',
  ' \n',
  '\n ',
  '\u00a0',
  '\u2003',
  '\u200b',
  '\u3000',
  '\u0085',
  '\u2028',
  '\v',
  '\f',
  '\ufeff',
  ' '.repeat(17),
  '\t\t\t',
];
const signs = [
  '.',
  ',',
  '!?',
  '...',
  '—',
  '(',
  ')',
  '%',
  '€',
  '+',
  '_',
  '__',
  '^',
  '·',
  '\u0000',
  '\u0007',
  '\u00ad',
  '\u0301',
  '\u200d',
];

const kinds = [words, accents, emoji, asian, arabic, code, numbers, blanks, signs];

/**
 * @param random a seeded generator
 * @param spellings of control tokens
 * @returns {{ text: string, isPlain: boolean }[]} plain: without a spelling of a control token
 */
export function makeTexts(random, count, spellings) {
  return Array.from({ length: count }, (_, index) => {
    const isPlain = index % 5 !== 4;
    const kind = pick(random, kinds);
    const piece = () => {
      const chance = random.uniform();
      // Any character, without the halves of pairs.
      if (chance < 0.04)
        return String.fromCodePoint(
          pick(random, [0x80, 0x250, 0x900, 0x2000, 0xe000, 0x1f300]) + random.integer(0, 0x200),
        );
      if (chance < 0.3) return ' ';
      return pick(random, chance < 0.65 ? kind : pick(random, kinds));
    };
    const text = some(random, 12, piece);
    if (isPlain) return { text, isPlain };
    return { text: `${text}${pick(random, spellings)}${some(random, 4, piece)}`, isPlain };
  });
}
