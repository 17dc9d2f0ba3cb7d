import { LogicError } from './logic-error.js';
import type { Logic, Pattern, Placeholder } from './logic.js';
import { RuleResolver, signatureOf, type Alias, type ParsedRule } from './resolve-rules.js';
import { LogicScanner } from './scan-logic.js';
import { TypeTree } from './type-tree.js';

/** Limits that no sensible logic comes near; they keep hostile texts from using much time or memory. */
const limits = { characters: 1_000_000, items: 2_000, placeholders: 8 };

const parsed = new Map<string, Logic>();
const parsedLimit = 64;

/**
 * Reads the `.twl` notation (`logic/logic.ebnf`): types with facts, aliases, rules, reverse rules, constraints and what
 * Inform needs. Texts that were read before give the same object. Throws `LogicError` with the line.
 */
export function parseLogic(text: string): Logic {
  const known = parsed.get(text);
  if (known) return known;
  const logic = new LogicParser(text).parse();
  if (parsed.size >= parsedLimit) parsed.delete(parsed.keys().next().value as string);
  parsed.set(text, logic);
  return logic;
}

class LogicParser {
  private readonly scanner: LogicScanner;
  private readonly parents = new Map<string, readonly string[]>();
  private readonly signatures = new Set<string>();
  private readonly aliases = new Map<string, Alias>();
  private readonly rules = new Map<string, ParsedRule>();
  private readonly constraints = new Map<string, ParsedRule>();
  private readonly reverses = new Map<string, { readonly name: string; readonly line: number }>();
  private readonly commands = new Map<string, { readonly command: string; readonly line: number }>();
  private readonly events = new Map<string, string>();
  private readonly kinds = new Map<string, { readonly kind: string; readonly definition?: string }>();
  private readonly sentences: { readonly pattern: Pattern; readonly sentence: string }[] = [];
  private readonly factNames = new Set<string>();
  private code = '';
  private items = 0;
  /** Placeholders of the rule or fact that is being read, by name. */
  private placeholders = new Map<string, Placeholder>();

  constructor(private readonly text: string) {
    if (text.length > limits.characters)
      throw new LogicError(`longer than ${limits.characters} characters (${text.length})`, 0);
    this.scanner = new LogicScanner(text);
  }

  parse(): Logic {
    const { scanner } = this;
    while (!scanner.done) {
      if (!scanner.takesWord('type')) scanner.fail('expected `type`');
      this.readType();
    }
    const types = new TypeTree(this.parents);
    const resolver = new RuleResolver(types, this.aliases, this.commands, this.reverses);
    return {
      types,
      factNames: this.factNames,
      rules: resolver.resolveRules(this.rules),
      constraints: resolver.resolveConstraints(this.constraints),
      inform: { events: this.events, kinds: this.kinds, sentences: this.sentences, code: this.code },
      text: this.text,
    };
  }

  private readType(): void {
    const { scanner } = this;
    const name = scanner.expectName('type');
    if (this.parents.has(name)) scanner.fail(`type \`${name}\` is declared twice`);
    const parents: string[] = [];
    if (scanner.takes(':')) {
      do parents.push(scanner.expectName('type'));
      while (scanner.takes(','));
    }
    if (parents.length > limits.placeholders) scanner.fail(`type \`${name}\` has more than 8 supertypes`);
    this.count();
    this.parents.set(name, parents);
    this.readParts({
      predicates: () => this.readEach(() => this.readFactOrAlias()),
      rules: () => this.readEach(() => this.readRule(this.rules, 'rule')),
      reverse_rules: () => this.readEach(() => this.readReverse()),
      constraints: () => this.readEach(() => this.readRule(this.constraints, 'constraint')),
      inform7: () => this.readInform(name),
    });
  }

  /** Reads named parts in braces, in any order and number. */
  private readParts(parts: Readonly<Record<string, () => void>>): void {
    const { scanner } = this;
    scanner.expect('{');
    while (!scanner.takes('}')) {
      const word = scanner.expectName('type');
      const read = Object.hasOwn(parts, word) ? parts[word] : undefined;
      if (!read) return scanner.fail(`expected one of ${Object.keys(parts).join(', ')}, found \`${word}\``);
      read();
    }
  }

  /** Reads statements in braces, each ended by a semicolon. */
  private readEach(read: () => void): void {
    const { scanner } = this;
    scanner.expect('{');
    while (!scanner.takes('}')) {
      this.placeholders = new Map();
      this.count();
      read();
      scanner.expect(';');
    }
  }

  private count(): void {
    if (++this.items > limits.items) this.scanner.fail(`more than ${limits.items} statements`);
  }

  /** `at(P, r)`, or `south_of(r, r') = north_of(r', r)`. */
  private readFactOrAlias(): void {
    const { scanner } = this;
    const { line } = scanner;
    const pattern = this.readPattern();
    const signature = signatureOf(pattern);
    if (this.signatures.has(signature) || this.aliases.has(signature)) scanner.fail(`${signature} is declared twice`);
    if (scanner.takes('=')) this.aliases.set(signature, { pattern, meaning: this.readPatterns(), line });
    else this.signatures.add(signature);
  }

  /** `take :: $at(P, r) & at(o, r) -> in(o, I)`; with `$`, a fact is needed and kept. */
  private readRule(into: Map<string, ParsedRule>, kind: string): void {
    const { scanner } = this;
    const { line } = scanner;
    const name = scanner.expectName('rule');
    if (into.has(name)) scanner.fail(`${kind} \`${name}\` is declared twice`);
    scanner.expect('::');
    const before: Pattern[] = [];
    const kept: Pattern[] = [];
    do {
      const isKept = scanner.takes('$');
      const pattern = this.readPattern();
      before.push(pattern);
      if (isKept) kept.push(pattern);
    } while (scanner.takes('&'));
    scanner.expect('->');
    into.set(name, { name, before, kept, after: this.readPatterns(), line });
  }

  private readReverse(): void {
    const { scanner } = this;
    const { line } = scanner;
    const one = scanner.expectName('rule');
    scanner.expect('::');
    const other = scanner.expectName('rule');
    for (const name of [one, other])
      if (this.reverses.has(name)) scanner.fail(`rule \`${name}\` has two reverse rules`);
    this.reverses.set(one, { name: other, line });
    this.reverses.set(other, { name: one, line });
  }

  private readInform(type: string): void {
    const { scanner } = this;
    this.readParts({
      type: () => {
        scanner.expect('{');
        if (this.kinds.has(type)) scanner.fail(`type \`${type}\` has two kinds`);
        const kind = this.readNamed('kind');
        const definition = scanner.takes('}') ? undefined : this.readNamed('definition');
        if (definition !== undefined) scanner.expect('}');
        this.kinds.set(type, definition === undefined ? { kind } : { kind, definition });
      },
      predicates: () =>
        this.readEach(() => {
          const pattern = this.readPattern();
          scanner.expect('::');
          this.sentences.push({ pattern, sentence: scanner.quoted() });
        }),
      commands: () =>
        this.readEach(() => {
          const { line } = scanner;
          const rule = scanner.expectName('rule');
          if (this.commands.has(rule)) scanner.fail(`rule \`${rule}\` has two commands`);
          scanner.expect('::');
          this.commands.set(rule, { command: scanner.quoted(), line });
          scanner.expect('::');
          this.events.set(rule, scanner.quoted());
        }),
      code: () => {
        scanner.expect('::');
        this.code += `${withoutIndent(scanner.block())}\n`;
        scanner.expect(';');
      },
    });
  }

  private readNamed(word: string): string {
    const { scanner } = this;
    if (!scanner.takesWord(word)) scanner.fail(`expected \`${word}\``);
    scanner.expect('::');
    const text = scanner.quoted();
    scanner.expect(';');
    return text;
  }

  private readPatterns(): Pattern[] {
    const patterns: Pattern[] = [];
    do patterns.push(this.readPattern());
    while (this.scanner.takes('&'));
    return patterns;
  }

  private readPattern(): Pattern {
    const { scanner } = this;
    const name = positiveName(scanner.expectName('fact'));
    this.factNames.add(name);
    scanner.expect('(');
    const placeholders: Placeholder[] = [];
    if (!scanner.takes(')')) {
      do placeholders.push(this.readPlaceholder());
      while (scanner.takes(','));
      scanner.expect(')');
    }
    if (placeholders.length > limits.placeholders) scanner.fail(`\`${name}\` has more than 8 placeholders`);
    return { name, placeholders };
  }

  private readPlaceholder(): Placeholder {
    const { scanner } = this;
    const name = scanner.expectName('placeholder');
    const type = scanner.takes(':') ? scanner.expectName('type') : withoutPrimes(name);
    const known = this.placeholders.get(name);
    if (known && known.type !== type) scanner.fail(`\`${name}\` has the types \`${known.type}\` and \`${type}\``);
    const placeholder = known ?? { name, type };
    this.placeholders.set(name, placeholder);
    return placeholder;
  }
}

/** `!open` is written `not_open` in the facts of a game, and `!not_open` is `open`. */
function positiveName(name: string): string {
  if (!name.startsWith('!')) return name;
  const bare = name.slice(1);
  return bare.startsWith('not_') ? bare.slice(4) : `not_${bare}`;
}

function withoutPrimes(name: string): string {
  let end = name.length;
  while (end > 0 && name[end - 1] === "'") end--;
  return name.slice(0, end);
}

/** The text without the blanks that begin all its lines. Lines of blanks become empty. */
function withoutIndent(text: string): string {
  const rows = text.split('\n').map((row) => (row.trim() === '' ? '' : row));
  const indents = rows.filter((row) => row !== '').map((row) => row.length - row.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return rows.map((row) => row.slice(indent)).join('\n');
}
