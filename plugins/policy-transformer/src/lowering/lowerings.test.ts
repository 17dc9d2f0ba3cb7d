import { readdir } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { Graph } from '../graph/graph.js';
import { add, exp } from '../operations/elementwise.js';
import { allOperations } from '../operations/fixtures/all-operations.js';
import { lowering, Lowerings } from './lowerings.js';

/** A backend is a folder with a file `lowerings.ts`. */
const folder = new URL('.', import.meta.url);
const files = (await readdir(folder, { recursive: true })).filter((file) => /.[\\/]lowerings\.ts$/.test(file));

describe('the lowerings of a backend', () => {
  // Goes red when an entry is removed from a table.
  it.each(files)('%s has every operation', async (file) => {
    const module = (await import(new URL(file, folder).href)) as { readonly [name: string]: unknown };
    const [lowerings] = Object.values(module) as [Lowerings<unknown>];
    expect(lowerings).toBeInstanceOf(Lowerings);
    const operations = await allOperations();
    expect(operations.length).toBeGreaterThan(30);
    expect(operations.filter((operation) => !lowerings.has(operation)).map(({ name }) => name)).toEqual([]);
  });

  it('name the operation and the backend where one is missing, or is there twice', () => {
    const written: string[] = [];
    const ofExp = lowering(exp, (into: string[]) => into.push('exp'));
    const graph = new Graph();
    const x = graph.exp(graph.input('x', []));
    const few = new Lowerings('paper', [ofExp]);
    few.lower(written, x.node);
    expect(written).toEqual(['exp']);
    expect(few.has(add)).toBe(false);
    expect(() => few.lower(written, graph.add(x, x).node)).toThrow('paper has no lowering of the operation add');
    expect(() => new Lowerings('paper', [ofExp, ofExp])).toThrow('paper has two lowerings of exp');
  });
});
