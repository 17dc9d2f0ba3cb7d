import type { EpisodeKey } from '../contracts/trajectory.js';

/** The groups of a collection whose episodes still play. */
export class EndedGroups {
  readonly #groups: readonly { readonly places: number[]; left: number }[];

  constructor(keys: readonly EpisodeKey[]) {
    const byName = new Map<string, { readonly places: number[]; left: number }>();
    this.#groups = keys.map(({ entry = '', iteration, group }, place) => {
      const name = `${iteration} ${group} ${entry}`;
      const own = byName.get(name) ?? { places: [], left: 0 };
      byName.set(name, own);
      own.places.push(place);
      own.left += 1;
      return own;
    });
  }

  /** Notes that the episode at this place has ended. @returns the places of its group if it was the last one */
  end(place: number): readonly number[] | undefined {
    const group = this.#groups[place];
    if (group === undefined) throw new Error(`the collection has no episode ${place}`);
    group.left -= 1;
    return group.left === 0 ? group.places : undefined;
  }
}
