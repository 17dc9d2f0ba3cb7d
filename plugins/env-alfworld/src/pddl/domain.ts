import { always, readCondition, readLiteral, Scope, type Literal, type Variable, type Way } from './condition.js';
import { PddlError } from './pddl-error.js';
import { headOf, isList, listAt, scanPddl, shown, type Expression, type List, type ScanOptions } from './scan-pddl.js';
import { readTypedNames, readVariables, rootType, type TypedName } from './typed-names.js';

/** What an action does to one predicate, for all values of its own variables with which its condition holds. */
interface Effect {
  readonly variables: readonly Variable[];
  readonly ways: readonly Way[];
  readonly adds: boolean;
  readonly literal: Literal;
}

/** An action of the domain. Its parameters are the variables 0, 1, ... */
export interface Schema {
  readonly name: string;
  /** Names without the question mark. */
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  readonly ways: readonly Way[];
  readonly effects: readonly Effect[];
  /** Number of variables with those of `exists` and `forall`. */
  readonly variables: number;
}

export interface Domain {
  /** The type above each type. */
  readonly types: ReadonlyMap<string, string>;
  readonly constants: readonly TypedName[];
  readonly schemas: readonly Schema[];
}

/** Parts of a domain that say nothing about what happens. */
const ignored: ReadonlySet<string> = new Set([':requirements', ':functions']);

/** Throws a `PddlError` that names the line and what stands there. */
export function readDomain(text: string, options: ScanOptions): Domain {
  const parts = openDefinition(text, 'domain', options);
  const types = new Map<string, string>();
  const constants: TypedName[] = [];
  const actions: List[] = [];
  for (const part of parts) {
    const head = headOf(part);
    const rest = part.items.slice(1);
    if (head.text === ':types') {
      for (const { name, type } of readTypedNames(rest)) if (name !== rootType) types.set(name, type);
    } else if (head.text === ':constants') {
      constants.push(...readTypedNames(rest));
    } else if (head.text === ':predicates') {
      for (const item of rest) {
        const list = listAt(item, part, 'a predicate');
        // Predicates need no declaration, but one that cannot be read is an error.
        headOf(list);
        readVariables(list.items.slice(1));
      }
    } else if (head.text === ':action') {
      actions.push(part);
    } else if (!ignored.has(head.text)) {
      throw new PddlError(
        `(${head.text} ...) is not supported; a domain has :types, :constants, :predicates and :action`,
        part,
      );
    }
  }
  refuseRoundTypes(types, parts[0] as List);
  return { types, constants, schemas: actions.map(readAction) };
}

/** The parts of `(define (domain NAME) ...)` or `(define (problem NAME) ...)`. */
export function openDefinition(text: string, kind: 'domain' | 'problem', options: ScanOptions): readonly List[] {
  const whole = scanPddl(text, options);
  const [define, title, ...parts] = whole.items;
  const named = title !== undefined && isList(title) ? title.items : [];
  const [word, name] = named;
  const isRight =
    define !== undefined && !isList(define) && define.text === 'define' && word !== undefined && !isList(word);
  if (!isRight || word.text !== kind || name === undefined || isList(name)) {
    throw new PddlError(`(define (${kind} NAME) ...) expected`, whole);
  }
  return parts.map((part) => listAt(part, whole, 'a part such as (:objects ...)'));
}

function refuseRoundTypes(types: ReadonlyMap<string, string>, at: List): void {
  for (const type of types.keys()) {
    let above: string | undefined = type;
    for (let steps = 0; above !== undefined; steps += 1, above = types.get(above)) {
      if (steps > types.size) throw new PddlError(`the type ${shown(type)} is above itself`, at);
    }
  }
}

function readAction(list: List): Schema {
  const [, name, ...rest] = list.items;
  if (name === undefined || isList(name)) throw new PddlError('an action needs a name', list);
  const parts = new Map<string, Expression>();
  for (let index = 0; index < rest.length; index += 2) {
    const key = rest[index] as Expression;
    const value = rest[index + 1];
    const isKnown = !isList(key) && [':parameters', ':precondition', ':effect'].includes(key.text);
    if (!isKnown || value === undefined) {
      const what = isList(key) ? 'a list' : shown(key.text);
      throw new PddlError(`${what} is not supported; an action has :parameters, :precondition and :effect`, key);
    }
    parts.set(key.text, value);
  }
  const parameterList = parts.get(':parameters');
  const names = parameterList === undefined ? [] : readVariables(listAt(parameterList, list, 'parameters').items);
  const { scope } = Scope.empty().with(names);
  const condition = parts.get(':precondition');
  const effect = parts.get(':effect');
  const ways = condition === undefined ? always : readCondition(condition, scope);
  const effects = effect === undefined ? [] : readEffects(effect, scope, [], always);
  const parameters = names.map(({ name, type }) => ({ name: name.slice(1), type }));
  return { name: name.text, parameters, ways, effects, variables: scope.size };
}

function readEffects(
  expression: Expression,
  scope: Scope,
  variables: readonly Variable[],
  ways: readonly Way[],
): readonly Effect[] {
  const list = listAt(expression, expression, 'an effect');
  if (list.items.length === 0) return [];
  const head = headOf(list);
  const parts = list.items.slice(1);
  const within = (part: Expression | undefined) => readEffects(listAt(part, list, 'an effect'), scope, variables, ways);
  switch (head.text) {
    case 'and':
      return parts.flatMap(within);
    case 'increase':
      // Costs of plans; agents pay one turn for every action.
      return [];
    case 'forall': {
      const inner = scope.with(readVariables(listAt(parts[0], list, 'a list of variables').items));
      return readEffects(listAt(parts[1], list, 'an effect'), inner.scope, [...variables, ...inner.variables], ways);
    }
    case 'when': {
      if (ways !== always) throw new PddlError('(when ...) inside of (when ...) is not supported', list);
      const condition = readCondition(listAt(parts[0], list, 'a condition'), scope);
      return readEffects(listAt(parts[1], list, 'an effect'), scope, variables, condition);
    }
    case 'not': {
      const literal = readLiteral(listAt(parts[0], list, 'a predicate'), scope);
      return [{ variables, ways, adds: false, literal }];
    }
    case 'or':
    case 'exists':
    case 'imply':
    case '=':
      throw new PddlError(
        `(${head.text} ...) is not supported as an effect; effects have and, not, forall, when, increase and predicates`,
        list,
      );
    default:
      return [{ variables, ways, adds: true, literal: readLiteral(list, scope) }];
  }
}
