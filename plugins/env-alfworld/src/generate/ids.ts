import type { SeededRandom } from '@agentgym/world-kit';

/** An id with a position, as those of ALFRED's simulator: `Mug_bar__plus_01_dot_20_bar__minus_00_dot_05_bar_...`. */
export function nameThing(kind: string, random: SeededRandom): string {
  const axis = () =>
    `_bar_${random.choice(['_plus', '_minus'])}_0${random.integer(0, 4)}_dot_${String(random.integer(0, 100)).padStart(2, '0')}`;
  return kind + axis() + axis() + axis();
}

/** Basins have the id of what they are in, and their own name behind it. */
export function nameReceptacle(kind: string, random: SeededRandom): string {
  return kind.endsWith('Basin')
    ? `${nameThing(kind.replace('Basin', ''), random)}_bar_${kind}`
    : nameThing(kind, random);
}

/** A place where the agent can stand: position, direction, and where it looks. */
export function namePlace(random: SeededRandom): string {
  const axis = () => {
    const steps = random.integer(-12, 13);
    return steps < 0 ? `_minus_${-steps}` : String(steps);
  };
  return `loc_bar_${axis()}_bar_${axis()}_bar_${random.integer(0, 4)}_bar_${random.choice([30, 45, 60])}`;
}

/** The items with new ids where two had one: they would be one thing. */
export function withoutDoubles<Item extends { readonly id: string }>(
  items: readonly Item[],
  rename: (item: Item) => string,
): readonly Item[] {
  const ids = new Set<string>();
  return items.map((item) => {
    let { id } = item;
    while (ids.has(id)) id = rename(item);
    ids.add(id);
    return { ...item, id };
  });
}
