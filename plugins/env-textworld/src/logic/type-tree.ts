import { compareText } from '@agentgym/world-kit';
import { LogicError } from './logic-error.js';
import type { Types } from './logic.js';

const maximumDepth = 64;

/**
 * The types of a logic. Children are in the order of their names. `withBelow` follows `VariableTypeTree` of
 * `generator/vtypes.py`, which knows the first supertype only; `isA` and `below` follow `TypeHierarchy` of
 * `logic/__init__.py`, which knows all of them.
 */
export class TypeTree implements Types {
  readonly names: readonly string[];
  private readonly children = new Map<string, readonly string[]>();
  private readonly firstChildren = new Map<string, readonly string[]>();
  private readonly ancestors = new Map<string, ReadonlySet<string>>();
  private readonly lists = new Map<string, readonly string[]>();
  private readonly counts = new Map<string, number>();

  /** @param parents Supertypes by type, in the order of the text. Throws for unknown names and for cycles. */
  constructor(readonly parents: ReadonlyMap<string, readonly string[]>) {
    this.names = [...parents.keys()].sort(compareText);
    const children = new Map<string, string[]>(this.names.map((name) => [name, []]));
    const firstChildren = new Map<string, string[]>(this.names.map((name) => [name, []]));
    for (const name of this.names) {
      (parents.get(name) ?? []).forEach((parent, index) => {
        if (!parents.has(parent)) throw new LogicError(`type \`${name}\`: no type is called \`${parent}\``, 0);
        children.get(parent)?.push(name);
        if (index === 0) firstChildren.get(parent)?.push(name);
      });
    }
    for (const name of this.names) {
      this.children.set(name, children.get(name) ?? []);
      this.firstChildren.set(name, firstChildren.get(name) ?? []);
    }
    for (const name of this.names) this.ancestorsOf(name, 0);
  }

  /** How many types there are at and below the type. */
  countBelow(type: string): number {
    let count = this.counts.get(type);
    if (count === undefined) {
      count = this.names.filter((name) => this.isA(name, type)).length;
      this.counts.set(type, count);
    }
    return count;
  }

  below(type: string): readonly string[] {
    return this.children.get(type) ?? [];
  }

  withBelow(type: string): readonly string[] {
    let list = this.lists.get(type);
    if (!list) {
      list = [type, ...(this.firstChildren.get(type) ?? []).flatMap((child) => this.withBelow(child))];
      this.lists.set(type, list);
    }
    return list;
  }

  isA(type: string, ancestor: string): boolean {
    return type === ancestor || this.ancestors.get(type)?.has(ancestor) === true;
  }

  private ancestorsOf(type: string, depth: number): ReadonlySet<string> {
    const known = this.ancestors.get(type);
    if (known) return known;
    if (depth > maximumDepth) throw new LogicError(`type \`${type}\`: supertypes form a cycle or go too deep`, 0);
    const all = new Set<string>();
    for (const parent of this.parents.get(type) ?? []) {
      all.add(parent);
      for (const ancestor of this.ancestorsOf(parent, depth + 1)) all.add(ancestor);
    }
    this.ancestors.set(type, all);
    return all;
  }
}

/** Whether a type has one entity only, which is named like it: those that do not begin with a lowercase letter. */
export function isConstant(type: string): boolean {
  const first = Array.from(type)[0] ?? '';
  return first.toUpperCase().startsWith(first);
}
