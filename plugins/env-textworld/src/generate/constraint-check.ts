import type { ChainLogic, SeededConstraint } from './chain-logic.js';
import type { FactState } from './fact-state.js';
import type { NumberedFacts, NumberedPattern } from './numbered-facts.js';

/** Finds out whether facts that hold together must not do so. Different placeholders take different entities. */
export class ConstraintCheck {
  private readonly bound: Int32Array;
  private slotTypes: readonly number[] = [];
  /** Slots in the order in which they were bound. */
  private readonly order: number[] = [];

  constructor(
    private readonly logic: ChainLogic,
    private readonly table: NumberedFacts,
    private readonly state: FactState,
  ) {
    const slotCount = logic.constraints.reduce((most, { slotTypes }) => Math.max(most, slotTypes.length), 1);
    this.bound = new Int32Array(slotCount).fill(-1);
  }

  /** Whether a constraint forbids this fact beside the others that hold. */
  forbids(fact: number): boolean {
    for (const constraint of this.logic.seededBy[this.table.predicate(fact)] ?? []) {
      if (this.fits(constraint, fact)) return true;
    }
    return false;
  }

  /** Whether a constraint forbids what holds now. */
  forbidsState(): boolean {
    return this.logic.constraints.some((constraint) =>
      this.state.of(constraint.seed.predicate).some((fact) => this.fits(constraint, fact)),
    );
  }

  private fits(constraint: SeededConstraint, fact: number): boolean {
    this.slotTypes = constraint.slotTypes;
    const fits = this.bind(constraint.seed, fact) && this.completes(constraint.rest, 0);
    this.release(0);
    return fits;
  }

  private completes(rest: readonly NumberedPattern[], index: number): boolean {
    const pattern = rest[index];
    if (!pattern) return true;
    const slot = pattern.slots[0];
    const first = slot === undefined ? -1 : (this.bound[slot] as number);
    const { predicate } = pattern;
    const facts = first < 0 ? this.state.of(predicate) : this.state.ofFirst(predicate, first);
    const count = this.order.length;
    for (const fact of facts) {
      if (this.bind(pattern, fact) && this.completes(rest, index + 1)) return true;
      this.release(count);
    }
    return false;
  }

  /** Binds the slots of a pattern to the entities of a fact; some may stay bound where they do not match. */
  private bind({ slots }: NumberedPattern, fact: number): boolean {
    const { bound, order, table, logic } = this;
    for (let place = 0; place < slots.length; place++) {
      const slot = slots[place] as number;
      const entity = table.argument(fact, place);
      const known = bound[slot] as number;
      if (known >= 0) {
        if (known !== entity) return false;
        continue;
      }
      const type = table.typeOf[entity] as number;
      if (logic.isA[type * logic.withAbove.length + (this.slotTypes[slot] as number)] !== 1) return false;
      for (const other of order) if (bound[other] === entity) return false;
      bound[slot] = entity;
      order.push(slot);
    }
    return true;
  }

  private release(count: number): void {
    while (this.order.length > count) this.bound[this.order.pop() as number] = -1;
  }
}
