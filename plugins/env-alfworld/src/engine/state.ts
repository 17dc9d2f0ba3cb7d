import type { FactBase } from './join-steps.js';
import { Relation } from './relation.js';
import type { Setting } from './setting.js';

/** Facts that differ from the start, by predicate: lists of names. */
export type FactChanges = { readonly [predicate: string]: readonly (readonly string[])[] };

/**
 * The facts of a game in play. Besides the truth, it keeps what ALFWorld tells its texts: there, an effect is told
 * whatever its condition, and what an action has made false is the fact `not_...`, which was not told before.
 */
export class State implements FactBase {
  readonly setting: Setting;
  readonly #truth = new Map<string, Relation>();
  readonly #told = new Map<string, Relation>();
  readonly #tells: boolean;
  /** All relations that change. What is told and is not the truth has a name that no predicate has: `told ...`. */
  readonly #mutable = new Map<string, Relation>();

  /** `tells`: texts know what they are told, as in ALFWorld. Otherwise they know the truth, and nothing of `not_...`. */
  constructor(setting: Setting, tells: boolean) {
    this.setting = setting;
    this.#tells = tells;
    for (const [predicate, relation] of setting.start) {
      const own = setting.fluents.has(predicate) ? relation.copy() : relation;
      this.#truth.set(predicate, own);
      this.#told.set(predicate, tells && setting.conditional.has(predicate) ? relation.copy() : own);
      if (tells && setting.fluents.has(predicate)) this.#told.set(`not_${predicate}`, new Relation(setting.size));
    }
    for (const predicate of setting.fluents) this.#mutable.set(predicate, this.#truth.get(predicate) as Relation);
    for (const [name, relation] of this.#told) {
      if (relation !== this.#truth.get(name)) this.#mutable.set(`told ${name}`, relation);
    }
  }

  numberOf(name: string): number | undefined {
    return this.setting.numberOf(name);
  }

  relation(predicate: string): Relation | undefined {
    return this.#truth.get(predicate);
  }

  /** The facts as the texts know them. */
  asTold(): { told(predicate: string): Relation | undefined; isOfType(thing: number, type: string): boolean } {
    return { told: (predicate) => this.#told.get(predicate), isOfType: (thing, type) => this.isOfType(thing, type) };
  }

  ofType(type: string): readonly number[] {
    return this.setting.ofType(type);
  }

  isOfType(thing: number, type: string): boolean {
    return this.setting.isOfType(thing, type);
  }

  set(predicate: string, things: readonly number[], isTrue: boolean): void {
    this.#truth.get(predicate)?.set(things, isTrue);
  }

  /** Tells the texts of an effect. */
  tell(predicate: string, things: readonly number[], isTrue: boolean): void {
    if (!this.#tells) return;
    this.#told.get(predicate)?.set(things, isTrue);
    this.#told.get(`not_${predicate}`)?.set(things, !isTrue);
  }

  reset(): void {
    for (const relation of this.#mutable.values()) relation.reset();
  }

  /** What differs from the start. */
  changes(): FactChanges {
    const changes: { [predicate: string]: readonly (readonly string[])[] } = {};
    for (const [name, relation] of this.#mutable) {
      const changed = relation.changes();
      if (changed.length === 0) continue;
      changes[name] = changed.map(({ things }) => things.map((thing) => this.setting.names[thing] as string));
    }
    return changes;
  }

  /** Takes back what `changes` returned. */
  restore(changes: FactChanges): void {
    this.reset();
    for (const [name, facts] of Object.entries(changes)) {
      const relation = this.#mutable.get(name);
      for (const names of facts) {
        const things = names.map((each) => this.numberOf(each) ?? -1);
        relation?.set(things, !relation.has(relation.keyOf(things)));
      }
    }
  }

  /** A text that is equal for two states whose facts are equal; `counts` tells which predicates matter. */
  key(counts: (predicate: string) => boolean): string {
    const parts: string[] = [];
    for (const [name, relation] of this.#mutable) {
      if (!counts(name.replace(/^told /, ''))) continue;
      const changed = relation.changes();
      if (changed.length > 0) parts.push(`${name}:${changed.map(({ key }) => key).join(',')}`);
    }
    return parts.join(' ');
  }
}
