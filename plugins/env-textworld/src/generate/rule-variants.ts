import { compareText } from '@agentgym/world-kit';
import type { Logic } from '../logic/logic.js';
import type { BackwardRule, ChainLogic } from './chain-logic.js';
import type { NumberedPattern } from './numbered-facts.js';

/** A rule with a choice of placeholders that get new entities; the others get entities that are known. */
export interface RuleVariant {
  readonly rule: BackwardRule;
  /** Slots that get new entities. */
  readonly created: readonly number[];
  /** By slot: the number of the player or inventory, -1 for what is to be filled. */
  readonly constants: readonly number[];
  /** Facts that must hold, of fixed entities only. */
  readonly checks: readonly NumberedPattern[];
  /** The slots to fill, in the order of their names. */
  readonly levels: readonly VariantLevel[];
  /** Removed facts without new entities. */
  readonly removedKnown: readonly NumberedPattern[];
  /** Whether two levels could take the same entity. */
  readonly overlaps: boolean;
}

export interface VariantLevel {
  readonly slot: number;
  readonly type: number;
  /** Slots filled before whose entities this one could take, but must not. */
  readonly rivals: readonly number[];
  /** Facts that must hold, as soon as this slot is filled. */
  readonly checks: readonly NumberedPattern[];
}

/**
 * All variants of a rule, in the order of the original: by the list of placeholders that get new entities.
 *
 * @param canCreate whether there may be new entities of a type
 */
function ruleVariants(rule: BackwardRule, { types }: Logic, canCreate: (type: string) => boolean): RuleVariant[] {
  const isFixed = (slot: number): boolean => rule.placeholders[slot]?.constant !== -1 || slot === rule.roomSlot;
  const free = rule.placeholders
    .map((placeholder, slot) => ({ ...placeholder, slot }))
    .filter(({ slot }) => !isFixed(slot))
    .sort((left, right) => compareText(left.name, right.name) || compareText(left.type, right.type));
  const canShare = (one: number, other: number): boolean => {
    const [first, second] = [rule.placeholders[one]?.type ?? '', rule.placeholders[other]?.type ?? ''];
    return types.names.some((name) => types.isA(name, first) && types.isA(name, second));
  };
  const creatable = free.filter(({ type }) => canCreate(type)).map(({ slot }) => slot);
  return sortedSubsets(creatable).map((created) => {
    const isKnown = ({ slots }: NumberedPattern): boolean => !slots.some((slot) => created.includes(slot));
    const filled = [...rule.placeholders.keys()].filter(isFixed);
    const left = rule.checked.filter(isKnown);
    const takeChecks = (): NumberedPattern[] => {
      const ready = left.filter(({ slots }) => slots.every((slot) => filled.includes(slot)));
      for (const pattern of ready) left.splice(left.indexOf(pattern), 1);
      return ready;
    };
    const checks = takeChecks();
    const levels: VariantLevel[] = [];
    for (const { slot, typeNumber } of free) {
      if (created.includes(slot)) continue;
      const rivals = filled.filter((other) => canShare(slot, other));
      filled.push(slot);
      levels.push({ slot, type: typeNumber, rivals, checks: takeChecks() });
    }
    return {
      rule,
      created,
      constants: rule.placeholders.map(({ constant }) => constant),
      checks,
      levels,
      removedKnown: rule.removed.filter(isKnown),
      overlaps: levels.some(({ rivals }) => rivals.some((slot) => !isFixed(slot))),
    };
  });
}

/** The variants of all rules, in the order of the original; made once per logic and set of types. */
export function allVariants(logic: ChainLogic, canCreate: (type: string) => boolean): readonly RuleVariant[] {
  const key = logic.logic.types.names.map((type) => (canCreate(type) ? '1' : '0')).join('');
  let known = variantsOf.get(logic);
  if (!known) variantsOf.set(logic, (known = new Map<string, readonly RuleVariant[]>()));
  let variants = known.get(key);
  if (!variants) known.set(key, (variants = logic.rules.flatMap((rule) => ruleVariants(rule, logic.logic, canCreate))));
  return variants;
}

const variantsOf = new WeakMap<ChainLogic, Map<string, readonly RuleVariant[]>>();

/** Every subset, as lists are ordered: none, then those with the first item, then those without it. */
function sortedSubsets(items: readonly number[]): number[][] {
  const after = (start: number): number[][] => [
    [],
    ...items.slice(start).flatMap((item, index) => after(start + index + 1).map((rest) => [item, ...rest])),
  ];
  return after(0);
}
