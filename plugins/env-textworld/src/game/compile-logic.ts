import type { Logic, Pattern, Placeholder, Rule } from '../logic/logic.js';
import { signatureOrder } from '../logic/signature-order.js';
import { isConstant } from '../logic/type-tree.js';

/** A pattern with its placeholders as numbers into the placeholders of its rule. */
export interface CompiledPattern {
  readonly name: string;
  /** The name with the number of entities: `at/2`. */
  readonly key: string;
  /** By position: placeholder of the rule, or, if negative, the constant with the number `-1 - slot`. */
  readonly slots: readonly number[];
  /** Which facts are tried first, by types of their entities; undefined if only one combination of types fits. */
  readonly order: ReadonlyMap<string, number> | undefined;
}

/** One step of a search for the facts that a rule needs. */
export interface JoinStep {
  /** The needed fact that is looked for, as number into `before`. */
  readonly pattern: number;
  /** All its placeholders are bound already. */
  readonly isCheck: boolean;
  /** A position whose entity is bound, by which facts are looked up; -1 if there is none. */
  readonly lookup: number;
}

/** A rule, made ready for finding the entities that it applies to. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly index: number;
  readonly before: readonly CompiledPattern[];
  readonly after: readonly CompiledPattern[];
  /** Types that each placeholder takes, by the number of the type. */
  readonly allowed: readonly Uint8Array[];
  /** Placeholders that no needed fact binds: any entity of the type will do. */
  readonly free: readonly number[];
  /** The command, cut at its placeholders: texts, and numbers of placeholders; names of constants not in the rule. */
  readonly command: readonly (string | number)[] | undefined;
  /** In which order to look for the needed facts. */
  readonly fromScratch: readonly JoinStep[];
  /** The same once one of them is given, by its number; see `joinFrom`. */
  readonly fromFact: (readonly JoinStep[] | undefined)[];
}

export interface CompiledLogic {
  readonly typeNumbers: ReadonlyMap<string, number>;
  /** Types with one entity each, such as the player and the inventory. */
  readonly constants: readonly string[];
  readonly rules: readonly CompiledRule[];
  readonly rulesByName: ReadonlyMap<string, CompiledRule>;
  /** Which rules need facts of a name and number of entities (`at/2`), and where in `before`. */
  readonly neededBy: ReadonlyMap<string, readonly { readonly rule: CompiledRule; readonly pattern: number }[]>;
  /** Names of facts, with their number of entities (`at/2`), that some rule adds or removes. */
  readonly changing: ReadonlySet<string>;
}

const compiled = new WeakMap<Logic, CompiledLogic>();

/** Makes the rules of a logic ready for `ActionTable`. The result is kept per logic. */
export function compileLogic(logic: Logic): CompiledLogic {
  let result = compiled.get(logic);
  if (!result) {
    result = compileAll(logic);
    compiled.set(logic, result);
  }
  return result;
}

export const nameWithCount = (name: string, count: number): string => `${name}/${count}`;

function compileAll(logic: Logic): CompiledLogic {
  const constants = logic.types.names.filter(isConstant);
  const changing = new Set<string>();
  const rules = [...logic.rules.values()];
  for (const { before, after } of rules) {
    const key = ({ name, placeholders }: Pattern): string => `${name} ${placeholders.map((p) => p.name).join(' ')}`;
    const needed = new Set(before.map(key));
    const left = new Set(after.map(key));
    for (const pattern of [...before, ...after])
      if (!needed.has(key(pattern)) || !left.has(key(pattern)))
        changing.add(nameWithCount(pattern.name, pattern.placeholders.length));
  }
  const compiledRules = rules.map((rule, index) => compileRule(rule, index, logic, constants, changing));
  const neededBy = new Map<string, { readonly rule: CompiledRule; readonly pattern: number }[]>();
  for (const rule of compiledRules)
    for (const [pattern, { key }] of rule.before.entries()) {
      const list = neededBy.get(key);
      if (list) list.push({ rule, pattern });
      else neededBy.set(key, [{ rule, pattern }]);
    }
  return {
    typeNumbers: new Map(logic.types.names.map((name, index) => [name, index])),
    constants,
    rules: compiledRules,
    rulesByName: new Map(compiledRules.map((rule) => [rule.rule.name, rule])),
    neededBy,
    changing,
  };
}

function compileRule(
  rule: Rule,
  index: number,
  logic: Logic,
  constants: readonly string[],
  changing: ReadonlySet<string>,
): CompiledRule {
  const slotOf = ({ name, type }: Placeholder): number => {
    const constant = name === type ? constants.indexOf(name) : -1;
    return constant >= 0 ? -1 - constant : rule.placeholders.findIndex((placeholder) => placeholder.name === name);
  };
  const compile = (pattern: Pattern): CompiledPattern => {
    const order = signatureOrder(logic.types, pattern);
    return {
      name: pattern.name,
      key: nameWithCount(pattern.name, pattern.placeholders.length),
      slots: pattern.placeholders.map(slotOf),
      order: order.size > 1 ? order : undefined,
    };
  };
  const before = rule.before.map(compile);
  const bound = new Set(before.flatMap(({ slots }) => slots));
  return {
    rule,
    index,
    before,
    after: rule.after.map(compile),
    allowed: rule.placeholders.map(({ type }) =>
      Uint8Array.from(logic.types.names, (name) => (logic.types.isA(name, type) ? 1 : 0)),
    ),
    free: rule.placeholders.flatMap((placeholder, slot) =>
      slotOf(placeholder) >= 0 && !bound.has(slot) ? [slot] : [],
    ),
    command: rule.command === undefined ? undefined : cutCommand(rule.command, rule.placeholders),
    fromScratch: planJoin(before, undefined, changing),
    fromFact: [],
  };
}

function cutCommand(command: string, placeholders: readonly Placeholder[]): (string | number)[] {
  return command.split(/[{}]/).map((part, index) => {
    const slot = index % 2 === 0 ? -1 : placeholders.findIndex(({ name }) => name === part);
    return slot < 0 ? part : slot;
  });
}

/** In which order to look for the facts that a rule needs besides a given one. */
export function joinFrom(rule: CompiledRule, given: number, { changing }: CompiledLogic): readonly JoinStep[] {
  return (rule.fromFact[given] ??= planJoin(rule.before, given, changing));
}

/** Facts with nothing left to bind come first, then those that bind little, then those that never change. */
function planJoin(
  patterns: readonly CompiledPattern[],
  given: number | undefined,
  changing: ReadonlySet<string>,
): readonly JoinStep[] {
  const bound = new Set<number>(given === undefined ? [] : patterns[given]?.slots);
  const isBound = (slot: number): boolean => slot < 0 || bound.has(slot);
  const left = patterns.map((_, index) => index).filter((index) => index !== given);
  const steps: JoinStep[] = [];
  const costOf = (index: number): number => {
    const { key, slots } = patterns[index] as CompiledPattern;
    const unbound = new Set(slots.filter((slot) => !isBound(slot))).size;
    if (unbound === 0) return 0;
    const isAnchored = slots.some((slot) => isBound(slot));
    return unbound * 4 + (isAnchored ? 0 : 2) + (changing.has(key) ? 1 : 0);
  };
  while (left.length > 0) {
    const costs = left.map(costOf);
    const [pattern] = left.splice(costs.indexOf(Math.min(...costs)), 1) as [number];
    const { slots } = patterns[pattern] as CompiledPattern;
    const own = slots.findIndex((slot) => bound.has(slot));
    steps.push({
      pattern,
      isCheck: slots.every(isBound),
      lookup: own >= 0 ? own : slots.findIndex((slot) => slot < 0),
    });
    for (const slot of slots) bound.add(slot);
  }
  return steps;
}
