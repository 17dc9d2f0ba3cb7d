// Values and keys that no user intends in a recipe, and that often break programs.

/** Text of a recipe that a tree cannot express. It replaces a marked value after the tree is written. */
export interface RawText {
  readonly raw: string;
}

export const hostileValues: readonly unknown[] = [
  ...[0, -1, -0.5, 1, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 53 - 1, 1e15, 65_536, 1_000_001],
  ...['', ' ', 'x'.repeat(10_000), '\u0000', '\u001b[31mred\u001b]0;t\u0007', '\u202etxt', '\ud800', '🎲'.repeat(300)],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '../../../etc/passwd',
    '/dev/zero',
    '/',
    '~',
    '.',
    '%s%n',
    '${1+1}',
    'null',
    '1e3',
  ],
  ...[null, true, false, [], {}, [[]], [null], [1, 2, 3], { a: 1 }, { name: 'grpo' }, { toString: 1 }, { length: -1 }],
  Array.from({ length: 2000 }, (_, i) => i),
  Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key${i}`, i])),
];

export const rawValues: readonly string[] = [
  ...['.nan', '.inf', '-.inf', '0x7fffffffffffffff', '99999999999999999999999', '1e400', '-0', '0o17', '1_000', '+1'],
  ...[
    '!!set {a, b}',
    '!!omap [a: 1]',
    '!!binary aGVsbG8=',
    '!!timestamp 2001-01-01',
    '!!js/function "function(){}"',
    '!foo 3',
    '!!str 3',
  ],
  ...[
    '&a [*a]',
    '&a {b: *a}',
    '*none',
    '&x [1, &y [*x, *y]]',
    '{<<: {a: 1}}',
    '{__proto__: {a: 1}}',
    '{constructor: {a: 1}}',
  ],
  ...[
    '{? [a] : 1}',
    '{a: 1, a: 2}',
    '[1, 2',
    '{a: ',
    '"\\x1b[2J"',
    "'",
    '@',
    '`',
    '|',
    '- -',
    '%YAML 9',
    '2001-01-01',
    '? ',
    '[[[[[[',
    '---',
  ],
  `${'['.repeat(3000)}${']'.repeat(3000)}`,
  `{${Array.from({ length: 30 }, (_, i) => `k${i}: &k${i} [${i === 0 ? '1' : `*k${i - 1}, *k${i - 1}`}]`).join(', ')}}`,
];

export const hostileKeys: readonly string[] = [
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'then',
    'toJSON',
    'length',
    '0',
    '-1',
    '',
  ],
  ...[
    ' ',
    'a.b',
    'a[0]',
    '[',
    '\u001b[31m',
    'x'.repeat(500),
    'name',
    'options',
    'extends',
    'kind',
    'steps',
    'schedule',
    '<<',
    'y',
    'null',
  ],
];

/** Hostile changes of whole files. */
export const hostileFiles: readonly ((text: string) => string)[] = [
  () => '',
  () => 'null\n',
  () => '[]\n',
  () => '42\n',
  () => '\u0000\u0001\u0002',
  () => `a: ${'['.repeat(100_000)}`,
  () => 'extends: ./mutant.yaml\n',
  () => 'extends: .\n',
  () => 'extends: /dev/zero\n',
  () => `extends: ${'x'.repeat(5000)}\n`,
  () => 'recipeVersion: 1\nextends: quickstart\nstages: {rl: null, sft: null}\n',
  (text) => `\ufeff${text}`,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replaceAll('  ', '\t'),
  (text) => `${text}---\n${text}`,
  (text) => text + text,
  (text) => text.slice(0, text.length / 2),
  (text) => text.split('\n').reverse().join('\n'),
  (text) => `${text}${'# padding\n'.repeat(120_000)}`,
  (text) => `${text}${Array.from({ length: 3000 }, (_, i) => `key${i}: ${i}\n`).join('')}`,
  (text) => text.replaceAll(':', ''),
  (text) => `%TAG ! tag:example.com,2000:\n---\n${text}`,
];
