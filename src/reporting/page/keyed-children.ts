/** A child of a list that shows one item and can be updated. */
export interface KeyedChild<Item> {
  readonly node: HTMLElement;
  readonly update: (item: Item) => void;
}

/**
 * Updates the children of an element from a list of items. Each key keeps one node, which moves only if the order
 * changed, so that the focus stays.
 */
export function keyedChildren<Item extends { readonly key: string }, Child extends KeyedChild<Item>>(
  parent: HTMLElement,
  make: (item: Item) => Child,
): { readonly update: (items: readonly Item[]) => void; readonly made: () => Iterable<Child> } {
  const children = new Map<string, Child>();
  return {
    made: () => children.values(),
    update(items) {
      const keys = new Set(items.map(({ key }) => key));
      for (const [key, child] of children) {
        if (keys.has(key)) continue;
        child.node.remove();
        children.delete(key);
      }
      let place = parent.firstElementChild;
      for (const item of items) {
        const child = children.get(item.key) ?? make(item);
        children.set(item.key, child);
        child.update(item);
        if (child.node === place) place = place.nextElementSibling;
        else parent.insertBefore(child.node, place);
      }
    },
  };
}
