import { countTry } from '../engine/effort.js';
import type { Relation } from '../engine/relation.js';
import { TextError } from './text-error.js';

/** A variable of a query. `r:receptacle` and `r:object` are two variables, as in TextWorld. */
interface Placeholder {
  /** `r:receptacle` */
  readonly key: string;
  readonly name: string;
  readonly type: string;
}

interface QueryFact {
  readonly predicate: string;
  readonly placeholders: readonly Placeholder[];
}

/** Facts that must hold together. */
export type Query = readonly QueryFact[];

/** Things by the keys of placeholders. */
export type Bindings = ReadonlyMap<string, number>;

/** The facts that queries are asked of. */
export interface ToldFacts {
  told(predicate: string): Relation | undefined;
  isOfType(thing: number, type: string): boolean;
}

const fact = /^\s*([\w/-]+)\s*\(([^()]*)\)\s*$/;
const placeholder = /^\s*(\w+)\s*(?::\s*(\w+))?\s*$/;

/** Reads `openable(r:receptacle) & opened(r:receptacle)`. */
export function parseQuery(text: string): Query {
  return text.split('&').map((part) => {
    const match = fact.exec(part);
    if (match === null)
      throw new TextError(`a fact such as opened(r:receptacle) expected, not ${JSON.stringify(part.trim())}`);
    const [, predicate = '', inside = ''] = match;
    const placeholders = inside.trim() === '' ? [] : inside.split(',').map(readPlaceholder);
    return { predicate, placeholders };
  });
}

function readPlaceholder(text: string): Placeholder {
  const match = placeholder.exec(text);
  if (match === null)
    throw new TextError(`a variable such as r:receptacle expected, not ${JSON.stringify(text.trim())}`);
  const [, name = '', type = name] = match;
  return { key: `${name}:${type}`, name, type };
}

/**
 * Calls `visit` with the values of each answer, in the order of the things; `true` ends the search. Two variables never
 * stand for the same thing. Returns whether a call ended the search.
 */
export function search(
  query: Query,
  given: Bindings,
  facts: ToldFacts,
  visit: (bindings: Bindings) => boolean,
): boolean {
  const bindings = new Map(given);
  const used = new Set(bindings.values());
  const run = (depth: number): boolean => {
    countTry();
    const next = query[depth];
    if (next === undefined) return visit(bindings);
    const relation = facts.told(next.predicate);
    if (relation === undefined) return false;
    const { placeholders } = next;
    const free: Placeholder[] = [];
    const known: number[] = [];
    let places = 0;
    placeholders.forEach((each, place) => {
      const thing = bindings.get(each.key);
      if (thing === undefined) {
        free.push(each);
        return;
      }
      known.push(thing);
      places |= 1 << place;
    });
    for (const { things } of relation.find(places, relation.keyOf(known))) {
      if (things.length !== placeholders.length) continue;
      const isRight = bind(things);
      if (isRight && run(depth + 1)) return true;
      for (const { key } of free) {
        const thing = bindings.get(key);
        if (thing === undefined) continue;
        bindings.delete(key);
        used.delete(thing);
      }
    }
    return false;

    function bind(things: readonly number[]): boolean {
      for (let place = 0; place < placeholders.length; place += 1) {
        const { key, type } = placeholders[place] as Placeholder;
        const thing = things[place] as number;
        if (!facts.isOfType(thing, type)) return false;
        const bound = bindings.get(key);
        if (bound === thing) continue;
        if (bound !== undefined || used.has(thing)) return false;
        bindings.set(key, thing);
        used.add(thing);
      }
      return true;
    }
  };
  return run(0);
}

export function isMet(query: Query, given: Bindings, facts: ToldFacts): boolean {
  return search(query, given, facts, () => true);
}
