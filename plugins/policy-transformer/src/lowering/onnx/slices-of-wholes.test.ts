import { describe, expect, it } from 'vitest';

import { neededNodes } from '../../graph/needed-nodes.js';
import { Graph } from '../../graph/graph.js';
import { slicesOfWholes } from './slices-of-wholes.js';

type Range = readonly [axis: number, start: number, end: number];

/** Starts of the slices that become one Split, for slices of a tensor [4, 6]. */
function starts(ranges: readonly Range[]): number[][] {
  const graph = new Graph();
  const x = graph.input('x', [4, 6]);
  const nodes = neededNodes(ranges.map(([axis, start, end]) => graph.slice(x, axis, start, end)));
  return [...slicesOfWholes(nodes).values()].map(({ slices }) =>
    slices.map((node) => (node.attributes as { readonly start: number }).start),
  );
}

describe('slicesOfWholes', () => {
  it('finds slices that take a tensor apart, in the order of their places', () => {
    const ranges: Range[] = [
      [1, 4, 6],
      [1, 0, 1],
      [1, 1, 4],
    ];
    expect(starts(ranges)).toEqual([[0, 1, 4]]);
  });

  it.each<{ what: string; ranges: Range[] }>([
    { what: 'the whole tensor alone', ranges: [[1, 0, 6]] },
    { what: 'slices with a gap', ranges: [[1, 0, 2], [1, 3, 6]] }, // prettier-ignore
    { what: 'slices without the end', ranges: [[1, 0, 2], [1, 2, 5]] }, // prettier-ignore
    { what: 'slices that overlap', ranges: [[1, 0, 3], [1, 2, 6]] }, // prettier-ignore
    { what: 'an empty slice', ranges: [[1, 0, 6], [1, 6, 6]] }, // prettier-ignore
    { what: 'slices of two axes', ranges: [[0, 0, 2], [1, 2, 6]] }, // prettier-ignore
  ])('leaves $what as they are', ({ ranges }) => {
    expect(starts(ranges)).toEqual([]);
  });
});
