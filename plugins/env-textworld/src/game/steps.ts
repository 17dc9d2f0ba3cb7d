import { compareEntities, type KnownFact } from '../logic/facts.js';
import type { Action, Fact } from '../logic/logic.js';
import type { ActionTable } from './action-table.js';

/**
 * An action as the tree of dependent actions sees it: one object per name, needed facts and left facts, whatever their
 * order. Besides the actions of rules there are the conditions of events (`trigger`) and undone actions (`r_eat`).
 */
export interface Step {
  /** From 0, in the order of appearance. */
  readonly index: number;
  readonly name: string;
  readonly action: Action;
  readonly needs: readonly number[];
  /** `needs` without facts that hold from start to end. */
  readonly changingNeeds: readonly number[];
  readonly adds: readonly number[];
  readonly removes: readonly number[];
  /** It needs a fact twice; the original takes such an action for impossible when it looks for shorter policies. */
  readonly repeats: boolean;
  readonly isTrigger: boolean;
}

/** What undoes a step. */
export interface Undoing {
  readonly step: Step;
  /** The logic has a rule for it. */
  readonly isRule: boolean;
}

/** Gives each step of a game one object and one small number. */
export class Steps {
  private readonly all: Step[] = [];
  private readonly byKey = new Map<string, Step>();
  private readonly ofActions: (Step | undefined)[] = [];
  private readonly undoing: (Undoing | undefined)[] = [];
  private readonly dependencies: (boolean | undefined)[][] = [];

  private readonly start: ReadonlySet<Fact>;

  constructor(private readonly table: ActionTable) {
    this.start = new Set(table.start);
  }

  /** The step of an action of a rule. */
  of(action: Action): Step {
    const known = this.table.intern(action);
    if (!known) return this.step(action.rule, this.factsOf(action.before), this.factsOf(action.after), action);
    return (this.ofActions[known.index] ??= this.step(known.rule, known.before, known.after, known));
  }

  /** The step that stands for the condition of an event (`Event.set_conditions` of `generator/game.py`). */
  trigger(condition: readonly Fact[]): Step {
    const before = this.factsOf(condition);
    const entities = [...new Set(before.flatMap((fact) => fact.entities))];
    entities.sort((one, other) => compareEntities([one], [other]));
    const after = [...before, this.table.facts.fact('event', entities)];
    return this.step('trigger', before, after, { rule: 'trigger', before, after });
  }

  /** What undoes the step: the reverse rule, or else a step that only exists in the tree. */
  undo(step: Step): Undoing {
    let undoing = this.undoing[step.index];
    if (!undoing) {
      const { before, after } = step.action;
      const rule = this.table.game.logic.rules.get(step.name)?.reverse;
      const name = rule ?? `r_${step.name}`;
      const action: Action = { rule: name, before: after, after: before };
      const known = this.table.intern(action) ?? action;
      undoing = {
        step: this.step(name, this.factsOf(after), this.factsOf(before), known),
        isRule: rule !== undefined,
      };
      this.undoing[step.index] = undoing;
    }
    return undoing;
  }

  /** Whether the first step needs a fact that the second one adds. */
  dependsOn(step: Step, other: Step): boolean {
    const row = (this.dependencies[step.index] ??= []);
    return (row[other.index] ??= other.adds.some((fact) => step.needs.includes(fact)));
  }

  private factsOf(facts: readonly Fact[]): KnownFact[] {
    return facts.map((fact) => this.table.facts.intern(fact));
  }

  private step(name: string, before: readonly KnownFact[], after: readonly KnownFact[], action: Action): Step {
    const needs = numbersOf(before);
    const left = numbersOf(after);
    const key = `${name} ${needs.join()} ${left.join()}`;
    let step = this.byKey.get(key);
    if (!step) {
      const { facts } = this.table.facts;
      step = {
        index: this.all.length,
        name,
        action,
        needs,
        changingNeeds: needs.filter((index) => {
          const fact = facts[index] as KnownFact;
          return !(this.start.has(fact) && this.table.isStatic(fact));
        }),
        adds: left.filter((fact) => !needs.includes(fact)),
        removes: needs.filter((fact) => !left.includes(fact)),
        repeats: needs.length < before.length,
        isTrigger: name === 'trigger',
      };
      this.byKey.set(key, step);
      this.all.push(step);
    }
    return step;
  }
}

const numbersOf = (facts: readonly KnownFact[]): number[] =>
  [...new Set(facts.map(({ index }) => index))].sort((one, other) => one - other);
