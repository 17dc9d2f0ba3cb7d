import type { Game } from '../game/game.js';
import type { Entity, Fact } from '../logic/logic.js';

/** The facts at the start of a game by name, and what Inform calls its types. */
export class GameFacts {
  private readonly byName = new Map<string, Fact[]>();
  /** Ids of the first entities of facts. */
  private readonly subjects = new Map<string, Set<string>>();
  private readonly kindsByType = new Map<string, ReadonlySet<string>>();

  constructor(readonly game: Game) {
    for (const fact of game.facts) {
      const same = this.byName.get(fact.name);
      if (same === undefined) this.byName.set(fact.name, [fact]);
      else same.push(fact);
    }
    for (const [name, facts] of this.byName) {
      this.subjects.set(name, new Set(facts.map(({ entities }) => entities[0]?.id ?? '')));
    }
  }

  /** In the order of the game. */
  withName(name: string): readonly Fact[] {
    return this.byName.get(name) ?? [];
  }

  /** Whether there is a fact with this name whose first entity has this id. */
  holds(name: string, id: string): boolean {
    return this.subjects.get(name)?.has(id) ?? false;
  }

  /** Whether Inform calls the type of the entity, or a type above it, by this name. */
  isKind({ type }: Entity, kind: string): boolean {
    let kinds = this.kindsByType.get(type);
    if (kinds === undefined) {
      const { types, inform } = this.game.logic;
      kinds = new Set([...inform.kinds].filter(([name]) => types.isA(type, name)).map(([, each]) => each.kind));
      this.kindsByType.set(type, kinds);
    }
    return kinds.has(kind);
  }
}
