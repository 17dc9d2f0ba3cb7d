import type { EntityPool } from './entity-pool.js';
import type { FactState } from './fact-state.js';
import type { NumberedFacts, NumberedPattern } from './numbered-facts.js';
import type { RuleVariant, VariantLevel } from './rule-variants.js';

/** A rule with known entities filled in whose needed facts hold, as far as they speak of known entities. */
export interface Candidate {
  readonly variant: RuleVariant;
  /** Entities by slot; -1 where a new entity goes. */
  readonly bound: readonly number[];
  /** The facts that it removes, less those of new entities. */
  readonly removed: readonly number[];
  /** Place among all ways, from 0. */
  readonly place: number;
}

/**
 * What can be done in a state. The original lists every way to fill the placeholders of rules with entities of their
 * types, shuffles this list, and looks what is possible only then. So that a shuffle has the same effect here, ways
 * that are impossible are counted, but not made.
 */
export interface KnownWays {
  readonly count: number;
  /** Those that are possible, in the order of the original. */
  readonly candidates: readonly Candidate[];
}

/** Finds the ways to act in a state. */
export class WayFinder {
  private candidates: Candidate[] = [];
  private count = 0;
  private bound: number[] = [];
  private pool: EntityPool | undefined;

  /** @param countsAll whether impossible ways count: the original leaves them out if no entity may be created */
  constructor(
    private readonly table: NumberedFacts,
    private readonly state: FactState,
    private readonly countsAll: boolean,
  ) {}

  /**
   * @param variants in the order of the original
   * @param room where the player is
   */
  find(variants: readonly RuleVariant[], pool: EntityPool, room: number): KnownWays {
    this.candidates = [];
    this.count = 0;
    this.pool = pool;
    for (const variant of variants) {
      this.bound = [...variant.constants];
      if (variant.rule.roomSlot >= 0) this.bound[variant.rule.roomSlot] = room;
      if (this.hold(variant.checks)) this.fill(variant, 0);
      else this.skip(variant, 0);
    }
    return { count: this.count, candidates: this.candidates };
  }

  private fill(variant: RuleVariant, depth: number): void {
    const level = variant.levels[depth];
    if (!level) {
      const { bound } = this;
      const removed = variant.removedKnown.map((pattern) => this.table.find(pattern, bound));
      this.candidates.push({ variant, bound: [...bound], removed, place: this.count });
      this.count++;
      return;
    }
    for (const entity of this.entities(level)) {
      if (this.isTaken(entity, level)) continue;
      this.bound[level.slot] = entity;
      if (this.hold(level.checks)) this.fill(variant, depth + 1);
      else this.skip(variant, depth + 1);
    }
  }

  private hold(patterns: readonly NumberedPattern[]): boolean {
    for (const pattern of patterns) if (!this.state.holds(this.table.find(pattern, this.bound))) return false;
    return true;
  }

  /** Counts the ways to fill the levels from `depth` on. */
  private skip(variant: RuleVariant, depth: number): void {
    if (this.countsAll) this.count += this.waysFrom(variant, depth);
  }

  private waysFrom(variant: RuleVariant, depth: number): number {
    const level = variant.levels[depth];
    if (!level) return 1;
    let count = 0;
    if (variant.overlaps) {
      for (const entity of this.entities(level)) {
        if (this.isTaken(entity, level)) continue;
        this.bound[level.slot] = entity;
        count += this.waysFrom(variant, depth + 1);
      }
      return count;
    }
    const entities = this.entities(level);
    count = entities.length;
    for (const slot of level.rivals) if (entities.includes(this.bound[slot] as number)) count--;
    return count === 0 ? 0 : count * this.waysFrom(variant, depth + 1);
  }

  private entities(level: VariantLevel): readonly number[] {
    return (this.pool as EntityPool).of(level.type);
  }

  private isTaken(entity: number, { rivals }: VariantLevel): boolean {
    for (const slot of rivals) if (this.bound[slot] === entity) return true;
    return false;
  }
}
