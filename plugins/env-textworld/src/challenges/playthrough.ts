// Plays a plan of actions on paper: which actions lead to which events.
import type { Action, Entity, Fact, Rule } from '../logic/logic.js';

/** Entities by the names of a rule's placeholders; constants such as `P` need not be given. */
export type Placed = Readonly<Record<string, Entity>>;

/** Applies a rule to entities. The command has their ids in braces: `take {o_0} from {c_1}`. */
export function applyRule(rule: Rule, placed: Placed): Action {
  const facts = (patterns: Rule['before']): Fact[] =>
    patterns.map(({ name, placeholders }) => ({
      name,
      entities: placeholders.map((placeholder) => placed[placeholder.name] ?? constant(placeholder.name)),
    }));
  const command = rule.command?.replace(/\{([^{}]*)\}/g, (_, name: string) => `{${placed[name]?.id ?? name}}`);
  return {
    rule: rule.name,
    before: facts(rule.before),
    after: facts(rule.after),
    ...(command !== undefined && { command }),
  };
}

const constant = (name: string): Entity => ({ id: name, type: name });

function keyOf({ name, entities }: Fact): string {
  let key = name;
  for (const { id } of entities) key += ` ${id}`;
  return key;
}

/**
 * Actions played one after the other from the facts of a world. It follows `GameMaker.set_walkthrough`: a command that
 * the game refuses counts as the action before it once more.
 */
export class Playthrough {
  /** One per command. */
  readonly actions: Action[] = [];
  readonly commands: string[] = [];
  private readonly facts: Set<string>;
  /** How many commands it took until a fact held for the first time. */
  private readonly commandsUntil: Map<string, number>;
  private last: Action | undefined;

  constructor(facts: readonly Fact[]) {
    this.facts = new Set(facts.map(keyOf));
    this.commandsUntil = new Map(Array.from(this.facts, (key) => [key, 0]));
  }

  holds(fact: Fact): boolean {
    return this.facts.has(keyOf(fact));
  }

  private isPossible(action: Action): boolean {
    for (const fact of action.before) if (!this.holds(fact)) return false;
    return true;
  }

  /** Plays the first of the actions that is possible. If none is, the command is that of the first. */
  play(...actions: readonly [Action, ...Action[]]): void {
    const possible = actions.find((action) => this.isPossible(action));
    const action = possible ?? actions[0];
    if (possible) this.last = possible;
    if (this.last) this.actions.push(this.last);
    this.commands.push(action.command ?? '');
    if (!possible) return;
    for (const fact of action.before) this.facts.delete(keyOf(fact));
    for (const fact of action.after) {
      const key = keyOf(fact);
      if (!this.commandsUntil.has(key)) this.commandsUntil.set(key, this.actions.length);
      this.facts.add(key);
    }
  }

  /** The actions from the start until the fact held; none if it held at the start or never. */
  actionsTo(fact: Fact): readonly Action[] {
    return this.actions.slice(0, this.commandsUntil.get(keyOf(fact)) ?? 0);
  }
}
