import { expect, it } from 'vitest';
import { articulationPoints } from './articulation-points.js';
// Recorded with networkx 3.6: the edges in the order in which they were added, and the points as they were yielded.
import recorded from './fixtures/articulation-points.json' with { type: 'json' };

it.each(recorded.map((graph, index) => ({ index, ...graph })))(
  'yields the points of graph $index in order',
  (graph) => {
    const neighbours = Array.from({ length: graph.nodes }, (): number[] => []);
    for (const [from, to] of graph.edges as [number, number][]) {
      neighbours[from]?.push(to);
      neighbours[to]?.push(from);
    }
    expect(articulationPoints(neighbours)).toEqual(graph.points);
  },
);

it('treats each part of a graph by itself', () => {
  expect(articulationPoints([[1], [0, 2], [1], [4], [3, 5], [4], []])).toEqual([1, 4]);
});
