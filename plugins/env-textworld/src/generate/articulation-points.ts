/**
 * The nodes of an undirected graph without which its part would fall apart, in the order in which networkx 3.6 yields
 * them (`articulation_points`): when a depth-first search leaves a child behind which there is no way around the node;
 * the node where the search starts comes last. The order decides which door is which.
 *
 * @param neighbours of each node, in the order in which the edges were added
 */
export function articulationPoints(neighbours: readonly (readonly number[])[]): number[] {
  const found = new Set<number>();
  /** When a node was first seen, and the earliest node that it or what is behind it can reach; -1: not seen. */
  const seenAt = new Int32Array(neighbours.length).fill(-1);
  const reaches = new Int32Array(neighbours.length);
  for (let start = 0; start < neighbours.length; start++) {
    if (seenAt[start] !== -1) continue;
    seenAt[start] = 0;
    reaches[start] = 0;
    let seenCount = 1;
    let childrenOfStart = 0;
    const path = [start];
    const nextChild = [0];
    while (path.length > 0) {
      const node = path.at(-1) as number;
      const place = nextChild.at(-1) as number;
      nextChild[path.length - 1] = place + 1;
      const child = neighbours[node]?.[place];
      if (child === undefined) {
        path.pop();
        nextChild.pop();
        const parent = path.at(-1);
        if (parent === undefined) break;
        if (parent === start) childrenOfStart++;
        else if ((reaches[node] as number) >= (seenAt[parent] as number)) found.add(parent);
        reaches[parent] = Math.min(reaches[parent] as number, reaches[node] as number);
      } else if (seenAt[child] === -1) {
        seenAt[child] = reaches[child] = seenCount++;
        path.push(child);
        nextChild.push(0);
      } else if (child !== path.at(-2)) {
        // Nodes seen later are already counted in what they reach.
        reaches[node] = Math.min(reaches[node] as number, seenAt[child] as number);
      }
    }
    if (childrenOfStart > 1) found.add(start);
  }
  return [...found];
}
