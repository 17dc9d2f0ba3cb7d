import { describe, expect, it } from 'vitest';

import { neededNodes } from '../graph/needed-nodes.js';
import { Graph } from '../graph/graph.js';
import { matmul } from '../operations/matmul.js';
import { decodeGraph } from './decode-graph.js';
import { tablesOf } from './decode-runner.js';
import { grouped } from './fixtures/small-models.js';

const sizes = { rows: 5, width: 1, capacity: 96 };

/** Rows that each product with keys or values of the cache has. */
function rowsOverCache(rowByRow: boolean): number[] {
  const program = decodeGraph(new Graph(), grouped, 'largest', { sizes, tables: tablesOf(grouped), rowByRow });
  return neededNodes(Object.values(program.outputs)).flatMap(({ operation, inputs }) =>
    operation === matmul && inputs[1]!.shape.includes(sizes.capacity) ? [inputs[0]!.shape.at(-2)!] : [],
  );
}

describe('a step of decoding', () => {
  const group = grouped.heads / grouped.keyValueHeads;
  const ofLayers = (rows: number) => Array<number>(2 * grouped.layers).fill(rows);

  it('reads the cache for all queries of a group at once, or for one after the other where that is faster', () => {
    expect(group).toBeGreaterThan(1);
    expect(rowsOverCache(false)).toEqual(ofLayers(group));
    expect(rowsOverCache(true)).toEqual(ofLayers(1));
  });
});
