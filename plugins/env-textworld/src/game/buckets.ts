/** A queue by priorities that are small whole numbers; of equal ones, what was added first comes first. */
export class Buckets<Item> {
  private readonly lists: { readonly items: Item[]; next: number }[] = [];
  private least = 0;

  add(priority: number, item: Item): void {
    (this.lists[priority] ??= { items: [], next: 0 }).items.push(item);
    if (priority < this.least) this.least = priority;
  }

  /** Removes and returns the item with the least priority; undefined if there is none. */
  take(): Item | undefined {
    for (; this.least < this.lists.length; this.least++) {
      const list = this.lists[this.least];
      if (list && list.next < list.items.length) return list.items[list.next++];
    }
    return undefined;
  }
}
