import { compareText } from '@agentgym/world-kit';
import { LogicError } from './logic-error.js';
import type { Pattern, Placeholder, Rule } from './logic.js';
import { isConstant, type TypeTree } from './type-tree.js';

/** A rule as it is written. */
export interface ParsedRule {
  readonly name: string;
  readonly before: readonly Pattern[];
  /** The facts of `before` with a `$`. */
  readonly kept: readonly Pattern[];
  readonly after: readonly Pattern[];
  readonly line: number;
}

/** A pattern that stands for others. */
export interface Alias {
  readonly pattern: Pattern;
  readonly meaning: readonly Pattern[];
  readonly line: number;
}

const limits = {
  patterns: 64,
  placeholders: 16,
  aliasDepth: 16,
  /** Of types below those of the placeholders of a pattern. */
  combinations: 10_000,
};

/** Makes rules of what was written: aliases are replaced, commands and reverse rules added, and types checked. */
export class RuleResolver {
  private readonly constants: readonly string[];

  constructor(
    private readonly types: TypeTree,
    private readonly aliases: ReadonlyMap<string, Alias>,
    private readonly commands: ReadonlyMap<string, { readonly command: string; readonly line: number }>,
    private readonly reverses: ReadonlyMap<string, { readonly name: string; readonly line: number }>,
  ) {
    this.constants = types.names.filter(isConstant);
  }

  /** The rules by name, in the order of their names. */
  resolveRules(rules: ReadonlyMap<string, ParsedRule>): ReadonlyMap<string, Rule> {
    return new Map(
      this.resolveConstraints(rules).map((rule) => {
        const command = this.commands.get(rule.name);
        if (command) this.checkCommand(command.command, rule, command.line);
        const reverse = this.reverses.get(rule.name);
        if (reverse && !rules.has(reverse.name))
          throw new LogicError(`\`${rule.name}\`: no rule is called \`${reverse.name}\``, reverse.line);
        const more = { ...(command && { command: command.command }), ...(reverse && { reverse: reverse.name }) };
        return [rule.name, { ...rule, ...more }];
      }),
    );
  }

  /** The constraints in the order of their names. */
  resolveConstraints(constraints: ReadonlyMap<string, ParsedRule>): readonly Rule[] {
    const sorted = [...constraints.values()].sort((one, other) => compareText(one.name, other.name));
    return sorted.map((constraint) => this.resolve(constraint));
  }

  private resolve({ name, before, kept, after, line }: ParsedRule): Rule {
    const expand = (patterns: readonly Pattern[]): Pattern[] => {
      const into: Pattern[] = [];
      for (const pattern of patterns) this.expandInto(pattern, into, 0, line);
      return into;
    };
    const rule = { name, before: expand(before), after: expand([...kept, ...after]) };
    const fail = (message: string): never => {
      throw new LogicError(`\`${name}\`${message}`, line);
    };
    const placeholders = new Map<string, Placeholder>();
    for (const placeholder of [...rule.before, ...rule.after].flatMap((pattern) => pattern.placeholders)) {
      const known = placeholders.get(placeholder.name);
      if (known && known.type !== placeholder.type)
        fail(`: \`${known.name}\` has the types \`${known.type}\` and \`${placeholder.type}\``);
      if (!this.types.parents.has(placeholder.type)) fail(`: no type is called \`${placeholder.type}\``);
      if (!known) placeholders.set(placeholder.name, placeholder);
    }
    if (placeholders.size > limits.placeholders) fail(` has more than ${limits.placeholders} placeholders`);
    for (const pattern of rule.before) {
      const combinations = pattern.placeholders.reduce((count, { type }) => count * this.types.countBelow(type), 1);
      if (combinations > limits.combinations) fail(`: \`${pattern.name}\` stands for too many combinations of types`);
    }
    return { ...rule, placeholders: [...placeholders.values()] };
  }

  /** Adds the pattern, or what it is an alias for. */
  private expandInto(pattern: Pattern, into: Pattern[], depth: number, line: number): void {
    const alias = this.aliases.get(signatureOf(pattern));
    if (!alias) {
      if (into.length >= limits.patterns) throw new LogicError(`more than ${limits.patterns} facts in a rule`, line);
      into.push(pattern);
      return;
    }
    if (depth > limits.aliasDepth)
      throw new LogicError(`aliases of ${signatureOf(pattern)} form a cycle or go too deep`, alias.line);
    const replaced = new Map(alias.pattern.placeholders.map(({ name }, index) => [name, pattern.placeholders[index]]));
    for (const { name, placeholders } of alias.meaning) {
      const substituted = placeholders.map((placeholder) => replaced.get(placeholder.name) ?? placeholder);
      this.expandInto({ name, placeholders: substituted }, into, depth + 1, line);
    }
  }

  private checkCommand(command: string, rule: Rule, line: number): void {
    const allowed = new Set([...rule.placeholders.map(({ name }) => name), ...this.constants]);
    const rest = command.replace(/\{([^{}]*)\}/g, (_, name: string) => {
      if (!allowed.has(name))
        throw new LogicError(`command of \`${rule.name}\`: no placeholder is called \`${name}\``, line);
      return '';
    });
    if (/[{}]/.test(rest))
      throw new LogicError(`command of \`${rule.name}\`: braces that enclose no placeholder`, line);
  }
}

/** Name and types of a pattern: `at(P, r)`. */
export const signatureOf = ({ name, placeholders }: Pattern): string =>
  `${name}(${placeholders.map(({ type }) => type).join(', ')})`;
