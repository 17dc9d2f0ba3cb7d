import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { parseDocument, plainData } from './parse-document.js';
import { parseSetting } from './parse-setting.js';
import { readRecipeFile } from './read-recipe-file.js';

const folder = mkdtempSync(join(tmpdir(), 'agentgym-documents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('parseDocument', () => {
  it.each([
    ['an ordered map', 'a: 1\nb: !!omap [width: 3]', 2, /Unresolved tag/],
    ['a set', 'a: !!set {x, y}', 1, /Unresolved tag/],
    ['bytes', 'a: !!binary aGVsbG8=', 1, /Unresolved tag/],
    ['a date', 'a: !!timestamp 2001-01-01', 1, /Unresolved tag/],
    ['a tag of nobody', 'a: 1\n\nb: !foo 3', 3, /Unresolved tag/],
    ['a map in itself', 'a: 1\nb: &b {c: *b}', 2, /`b\.c`: .* contains itself/],
    ['a list in itself', 'a: &a [*a]', 1, /`a\[0\]`: .* contains itself/],
    ['a number that is none', 'a: 1\nb: {c: .nan}', 2, /`b\.c`: .* not NaN/],
    ['a number without end', 'a: -.inf', 1, /not -Infinity/],
    ['a key that is a list', 'a: 1\n? [b]\n: 2', 2, /a key must be text/],
    ['a key that is an alias', 'a: &a b\n*a : 2', 2, /a key must be text/],
    ['a key that is there twice', 'a: {1: x, "1": y}', 1, /`1` appears twice/],
    ['a reserved key', 'a: 1\nb:\n  c: {__proto__: 1}', 3, /`b\.c\.__proto__`: the name `__proto__` is not allowed/],
    ['the key constructor', 'plugins: {constructor: "^1"}', 1, /`plugins\.constructor`/],
    ['aliases that multiply', bombs(), 1, /alias/i],
    ['more values than anybody writes', `a: [${'1,'.repeat(20_000)}]`, 1, /more than 20000 values/],
    ['nests without end', `a: ${'['.repeat(200)}${']'.repeat(200)}`, 1, /nested at most 100 deep/],
  ])('refuses %s, with the line', (_, text, line, message) => {
    expect(() => parseDocument(text)).toThrow(
      expect.objectContaining({ line, message: expect.stringMatching(message) as unknown }),
    );
  });

  it('reads YAML and JSON, with lines', () => {
    const { content, line } = parseDocument('a: &a {x: 1}\nb:\n  - *a\n  - {y: null}\n');
    expect(content).toEqual({ a: { x: 1 }, b: [{ x: 1 }, { y: null }] });
    expect(line(['b', 1, 'y'])).toBe(4);
    expect(line(['b', 0, 'x'])).toBe(1);
    expect(parseDocument('{"a": [1.5, "!!set"]}').content).toEqual({ a: [1.5, '!!set'] });
  });
});

/** Nine levels of nine aliases: 9^9 values. */
function bombs(): string {
  const levels = Array.from(
    { length: 9 },
    (_, i) =>
      `l${i}: &l${i} [${Array(9)
        .fill(i === 0 ? '1' : `*l${i - 1}`)
        .join(', ')}]`,
  );
  return levels.join('\n');
}

describe('plainData', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  it.each([
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('not today');
        },
      },
      /`a`: reading it threw: not today/,
    ],
    [
      'a Proxy that throws',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('not today');
          },
        },
      ),
      /not today/,
    ],
    ['a circle', cyclic, /`self`: .* contains itself/],
    ['a BigInt', { a: 1n }, /not a BigInt/],
    ['a function', { a: () => 1 }, /not a function/],
    ['a date', { a: new Date() }, /an instance of Date/],
    ['a map', { a: new Map() }, /an instance of Map/],
    ['a list with more places than memory', { a: Array(2 ** 31) }, /at most 1000000 values/],
  ])('refuses %s', (_, value, message) => {
    expect(() => plainData(value)).toThrow(message);
  });

  it('leaves out what is undefined, and copies the rest', () => {
    const given = { a: undefined, b: { c: [1, 'x', true, null] } };
    expect(plainData(given)).toEqual({ b: { c: [1, 'x', true, null] } });
  });
});

describe('parseSetting', () => {
  it.each([
    'plugins={constructor: "^1"}',
    'constructor.x=1',
    'environment.options=!!set {a}',
    'seed=&a [*a]',
    'a=.nan',
  ])('refuses %s', (text) =>
    expect(() => parseSetting(text)).toThrow(expect.objectContaining({ code: 'AG_SET_INVALID' })),
  );
});

it('a setting never shows the password of a URL', () => {
  const { flag, value } = parseSetting('policy.options.url=http://me:pass@there:8000/v1');
  expect([flag, value]).toEqual(['--set policy.options.url=http://***@there:8000/v1', 'http://me:pass@there:8000/v1']);
  expect(() => parseSetting('url.0=http://me:pass@there')).toThrow(/\*\*\*@there/);
});

describe('readRecipeFile', () => {
  const read = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return readRecipeFile(join(folder, name), 'recipe');
  };
  it.each([
    ['empty.yaml', '', /is empty/],
    ['null.yaml', 'null\n', /is empty/],
    ['list.yaml', '[1]', /is not a map/],
    ['throws.ts', 'export default { get a() { throw new Error("not today"); } };', /not today/],
    ['cyclic.ts', 'const a: any = {}; a.a = a; export default a;', /contains itself/],
    ['big.ts', 'export default { seed: 10n };', /BigInt/],
  ])('refuses %s, with the place', async (name, text, message) => {
    const file = join(folder, name);
    const place = { code: 'AG_RECIPE_SYNTAX', file, line: 1, message: expect.stringMatching(message) as unknown };
    await expect(read(name, text)).rejects.toMatchObject(place);
  });

  it.each(['long.yaml', 'long.ts'])('refuses %s, which is longer than a recipe', async (name) => {
    await expect(read(name, `a: ${'x'.repeat(1_000_000)}`)).rejects.toMatchObject({
      code: 'AG_FILE_REFUSED',
      message: expect.stringContaining('has 1000003 bytes; at most 1000000 are read') as unknown,
    });
  });

  it('refuses what is no file', async () => {
    mkdirSync(join(folder, 'folder.yaml'));
    const refusal = readRecipeFile(join(folder, 'folder.yaml'), 'recipe');
    await expect(refusal).rejects.toMatchObject({ code: 'AG_FILE_REFUSED', message: /is a folder, not a file/ });
    await expect(readRecipeFile('/dev/zero', 'recipe')).rejects.toMatchObject({ message: /is a device, not a file/ });
  });
});
