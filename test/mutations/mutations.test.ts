// Checks that the table of mutations fits the sources and tests. `npm run mutations` shows whether the tests go red.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { repository } from '../architecture/source-files.js';
import { drawMutations } from './draw-mutations.js';
import { mutations } from './mutations.js';
import { applyMutation } from './scratch-copy.js';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

describe('the table of mutations', () => {
  it.each(mutations)('$file, $find: the text stands there once', (mutation) => {
    const text = read(mutation.file);
    expect(applyMutation(text, mutation)).not.toBe(text);
    expect(() => read(mutation.test)).not.toThrow();
  });

  it('holds no mutation twice', () => {
    const keys = mutations.map(({ file, find, replace }) => JSON.stringify([file, find, replace]));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('refuses a text that is not there, or there twice', () => {
    const [mutation] = mutations;
    expect(() => applyMutation('', mutation!)).toThrow('0 times, not once');
    expect(() => applyMutation(mutation!.find.repeat(2), mutation!)).toThrow('2 times, not once');
  });
});

describe('a draw', () => {
  it('is the same for a seed, another for another, and never holds one twice', () => {
    const draw = drawMutations(30, 1);
    expect(draw).toEqual(drawMutations(30, 1));
    expect(draw).not.toEqual(drawMutations(30, 2));
    expect(new Set(draw).size).toBe(30);
    expect(drawMutations(1e6, 1)).toEqual(mutations);
  });

  it('is among the mutations of some files, where these are asked for', () => {
    const drawn = drawMutations(1e6, 1, 'src/credit/');
    expect(drawn).toEqual(mutations.filter(({ file }) => file.startsWith('src/credit/')));
    expect(drawMutations(1, 1, 'no such file')).toEqual([]);
  });
});
