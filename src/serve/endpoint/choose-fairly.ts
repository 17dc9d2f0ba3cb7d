/**
 * Chooses at most `most` items, such that every client has the same number of them, as far as it has so many. Of a client, those
 * that came first are chosen. So one client with many items leaves room for the others.
 */
export function chooseFairly<Item extends { readonly client: unknown }>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  const byClient = new Map<unknown, Item[]>();
  for (const item of items) {
    const own = byClient.get(item.client);
    if (own === undefined) byClient.set(item.client, [item]);
    else own.push(item);
  }
  const chosen: Item[] = [];
  for (let turn = 0; chosen.length < most; turn += 1) {
    for (const own of byClient.values()) {
      if (turn < own.length && chosen.length < most) chosen.push(own[turn]!);
    }
  }
  return chosen;
}
