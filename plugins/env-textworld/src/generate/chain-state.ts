import type { Action, Entity, Fact } from '../logic/logic.js';
import { predicateKey, type BackwardRule, type ChainLogic } from './chain-logic.js';
import type { Candidate } from './way-finder.js';
import { ConstraintCheck } from './constraint-check.js';
import { EntityPool } from './entity-pool.js';
import { FactState } from './fact-state.js';
import { NumberedFacts, type NumberedPattern } from './numbered-facts.js';

/** A backward rule applied to entities; facts by their numbers. */
export interface BackwardAction {
  readonly rule: BackwardRule;
  readonly bound: readonly number[];
  readonly after: readonly number[];
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/** A state of the search: a later state with an action taken back. */
export interface ChainNode {
  readonly parent: ChainNode | undefined;
  /** What leads from here to the parent's state. */
  readonly action: BackwardAction | undefined;
  /** The node whose action needs this one: the parent, or an earlier one where a new branch of the quest begins. */
  readonly needs: ChainNode | undefined;
  readonly depth: number;
  readonly breadth: number;
  readonly length: number;
  readonly pool: EntityPool;
  /** Facts that differ from the parent's state; ones that hold here and not there, and the other way round. */
  readonly appeared: readonly number[];
  readonly vanished: readonly number[];
}

/** What an action would make of the current state. */
export type Outcome = Pick<ChainNode, 'action' | 'pool' | 'appeared' | 'vanished'>;

/** The state that the search is looking at, and what can be done with it. */
export class ChainState {
  readonly table: NumberedFacts;
  readonly facts: FactState;
  readonly root: ChainNode & { readonly parent: undefined; readonly needs: undefined };
  private readonly check: ConstraintCheck;
  private readonly isSound: boolean;
  /** Facts with names that no rule and no constraint knows. Nothing changes them. */
  private readonly otherFacts: Fact[] = [];
  private current: ChainNode;
  /** While the past is compared with the present: facts that differ. */
  private readonly differing = new Set<number>();

  constructor(
    private readonly logic: ChainLogic,
    facts: readonly Fact[],
  ) {
    this.table = new NumberedFacts(logic.predicates, logic.typeNumbers, logic.constants, logic.width);
    this.facts = new FactState(this.table, logic.predicates.length);
    this.check = new ConstraintCheck(logic, this.table, this.facts);
    const entities = new Set<number>();
    for (const fact of facts) this.addInitial(fact, entities);
    this.isSound = !this.check.forbidsState();
    this.root = {
      parent: undefined,
      action: undefined,
      needs: undefined,
      depth: 0,
      breadth: 1,
      length: 0,
      pool: EntityPool.empty(this.table, logic.withAbove).with([...entities]),
      appeared: [],
      vanished: [],
    };
    this.current = this.root;
  }

  /** The room where the player is; -1 if nowhere. */
  playerRoom(): number {
    const at = this.logic.predicateNumbers.get(predicateKey('at', 2));
    const room = this.logic.typeNumbers.get('r');
    if (at === undefined || room === undefined) return -1;
    for (const fact of this.facts.ofFirst(at, this.logic.constants.indexOf('P'))) {
      const entity = this.table.argument(fact, 1);
      if (this.table.typeOf[entity] === room) return entity;
    }
    return -1;
  }

  /** Makes a node's state the current one. */
  moveTo(node: ChainNode): void {
    const forward: ChainNode[] = [];
    let target = node;
    while (target !== this.current) {
      if (target.length > this.current.length) {
        forward.push(target);
        target = target.parent as ChainNode;
      } else {
        this.revert(this.current);
        this.current = this.current.parent as ChainNode;
      }
    }
    while (forward.length > 0) this.apply(forward.pop() as ChainNode);
    this.current = node;
  }

  /**
   * What a candidate makes of the current state; undefined if a constraint forbids it or an earlier state would come
   * back. The state is as before then.
   */
  outcome(candidate: Candidate): Outcome | undefined {
    if (!this.isSound) return undefined;
    const { rule, created } = candidate.variant;
    const { bound, entities } = this.create(candidate);
    const appeared: number[] = [];
    // Without new entities, all needed facts hold already.
    let isAllowed = created.length === 0 || this.addAllowed(this.numbersOf(rule.before, bound), appeared);
    const action = {
      rule,
      bound,
      after: this.numbersOf(rule.after, bound),
      added: this.numbersOf(rule.added, bound),
      removed: this.numbersOf(rule.removed, bound),
    };
    const vanished: number[] = [];
    if (isAllowed) {
      for (const fact of action.removed) {
        if (!this.facts.holds(fact)) continue;
        this.facts.remove(fact);
        const place = appeared.indexOf(fact);
        if (place >= 0) appeared.splice(place, 1);
        else vanished.push(fact);
      }
      isAllowed = this.addAllowed(action.added, appeared) && !this.comesBack(action);
    }
    for (const fact of appeared) this.facts.remove(fact);
    for (const fact of vanished) this.facts.add(fact);
    if (!isAllowed) return undefined;
    return { action, appeared, vanished, pool: this.current.pool.with(entities) };
  }

  /** The facts of the current state. */
  currentFacts(): Fact[] {
    return [...this.facts.all().map((fact) => this.table.fact(fact)), ...this.otherFacts];
  }

  /** The action as it is played. */
  played({ rule, bound }: BackwardAction): Action {
    const { forward, before, after, placeholders } = rule;
    const facts = (patterns: readonly NumberedPattern[]): Fact[] =>
      patterns.map((pattern) => this.table.fact(this.table.number(pattern, bound)));
    const action = { rule: forward.name, before: facts(after), after: facts(before) };
    if (forward.command === undefined) return action;
    const command = forward.command.replace(/\{([^{}]*)\}/g, (text, name: string) => {
      const slot = placeholders.findIndex((placeholder) => placeholder.name === name);
      return slot < 0 ? text : `{${(this.table.entities[bound[slot] as number] as Entity).id}}`;
    });
    return { ...action, command };
  }

  private addInitial(fact: Fact, entities: Set<number>): void {
    const bound = fact.entities.map((entity) => this.table.entity(entity));
    for (const entity of bound) if (entity !== undefined) entities.add(entity);
    const predicate = this.logic.predicateNumbers.get(predicateKey(fact.name, bound.length));
    if (predicate === undefined || bound.includes(undefined)) {
      this.otherFacts.push(fact);
      return;
    }
    const number = this.table.number({ predicate, slots: [...bound.keys()] }, bound as number[]);
    if (!this.facts.holds(number)) this.facts.add(number);
  }

  private numbersOf(patterns: readonly NumberedPattern[], bound: readonly number[]): number[] {
    const numbers: number[] = [];
    for (const pattern of patterns) numbers.push(this.table.number(pattern, bound));
    return numbers;
  }

  /** Fills the slots that get new entities. */
  private create({ variant, bound: known }: Candidate): { bound: readonly number[]; entities: readonly number[] } {
    if (variant.created.length === 0) return { bound: known, entities: [] };
    const bound = [...known];
    const entities: number[] = [];
    variant.rule.placeholders.forEach(({ type, typeNumber }, slot) => {
      if (!variant.created.includes(slot)) return;
      const { pool } = this.current;
      const made = entities.filter((entity) => this.table.typeOf[entity] === typeNumber).length;
      let id = `${type}_${pool.countExactly(typeNumber) + made}`;
      let entity = this.table.entity({ id, type }) as number;
      while (pool.has(entity)) {
        id += "'";
        entity = this.table.entity({ id, type }) as number;
      }
      bound[slot] = entity;
      entities.push(entity);
    });
    return { bound, entities };
  }

  /** Adds facts; false if a constraint forbids one of them. `appeared` gets those that did not hold before. */
  private addAllowed(facts: readonly number[], appeared: number[]): boolean {
    const first = appeared.length;
    for (const fact of facts) {
      if (this.facts.holds(fact)) continue;
      this.facts.add(fact);
      appeared.push(fact);
    }
    for (let index = first; index < appeared.length; index++) {
      if (this.check.forbids(appeared[index] as number)) return false;
    }
    return true;
  }

  /** Whether the current state, which an action has just led to, is one that it would come from again. */
  private comesBack(action: BackwardAction): boolean {
    const { differing } = this;
    differing.clear();
    this.takeBack(action);
    for (let node = this.current; node.action; node = node.parent as ChainNode) {
      this.takeBack(node.action);
      if (differing.size === 0) return true;
    }
    return false;
  }

  /** Takes an action back in the past that `differing` describes; does nothing if it is not possible there. */
  private takeBack({ after, added, removed }: BackwardAction): void {
    for (const fact of after) if (!this.held(fact)) return;
    for (const fact of removed) if (!this.held(fact)) this.flip(fact);
    for (const fact of added) if (this.held(fact)) this.flip(fact);
  }

  private held(fact: number): boolean {
    return this.facts.holds(fact) !== this.differing.has(fact);
  }

  private flip(fact: number): void {
    if (!this.differing.delete(fact)) this.differing.add(fact);
  }

  private apply({ appeared, vanished }: ChainNode): void {
    for (const fact of vanished) this.facts.remove(fact);
    for (const fact of appeared) this.facts.add(fact);
  }

  private revert({ appeared, vanished }: ChainNode): void {
    for (const fact of appeared) this.facts.remove(fact);
    for (const fact of vanished) this.facts.add(fact);
  }
}
