import { readCondition, Scope, type Way } from './condition.js';
import { openDefinition } from './domain.js';
import { PddlError } from './pddl-error.js';
import { headOf, isList, listAt, shown, wordsOf, type ScanOptions } from './scan-pddl.js';
import { readTypedNames, type TypedName } from './typed-names.js';

/** A fact at the start, with names of objects. */
interface StartFact {
  readonly predicate: string;
  readonly objects: readonly string[];
}

export interface Problem {
  readonly objects: readonly Pick<TypedName, 'name' | 'type'>[];
  readonly facts: readonly StartFact[];
  readonly goal: readonly Way[];
  /** Number of variables of the goal. */
  readonly goalVariables: number;
}

/** Throws a `PddlError` that names the line and what stands there. */
export function readProblem(text: string, options: ScanOptions): Problem {
  const parts = openDefinition(text, 'problem', options);
  const scope = Scope.empty();
  let goal: readonly Way[] | undefined;
  const objects: TypedName[] = [];
  const facts: StartFact[] = [];
  for (const part of parts) {
    const head = headOf(part);
    const rest = part.items.slice(1);
    if (head.text === ':domain') {
      // There is one domain, which is not looked up by its name.
      wordsOf(rest);
    } else if (head.text === ':objects') {
      objects.push(...readTypedNames(rest));
    } else if (head.text === ':init') {
      for (const item of rest) {
        const list = listAt(item, part, 'a fact');
        const predicate = headOf(list);
        // Values of functions, which only plans of least cost need.
        if (predicate.text === '=') continue;
        if (predicate.text === 'not') throw new PddlError('(not ...) is not supported as a fact at the start', list);
        facts.push({ predicate: predicate.text, objects: wordsOf(list.items.slice(1)).map((word) => word.text) });
      }
    } else if (head.text === ':goal') {
      const [condition] = rest;
      if (condition === undefined || !isList(condition) || rest.length > 1)
        throw new PddlError('(:goal ...) has one condition', part);
      goal = readCondition(condition, scope);
    } else if (head.text !== ':requirements' && head.text !== ':metric') {
      throw new PddlError(`(${head.text} ...) is not supported; a problem has :objects, :init and :goal`, part);
    }
  }
  if (goal === undefined) throw new PddlError('the problem has no (:goal ...)', parts[0] ?? { line: 1, column: 1 });
  refuseDoubles(objects);
  return { objects, facts, goal, goalVariables: scope.size };
}

function refuseDoubles(objects: readonly TypedName[]): void {
  const types = new Map<string, string>();
  for (const object of objects) {
    const known = types.get(object.name);
    if (known !== undefined && known !== object.type)
      throw new PddlError(`the object ${shown(object.name)} has two types, ${known} and ${object.type}`, object);
    types.set(object.name, object.type);
  }
}
