import { parseQuery, type Query } from './query.js';
import { readParts, type Part } from './parts.js';
import { TextError } from './text-error.js';

/** One text for a symbol, to be used if its condition holds. */
export interface Production {
  readonly condition: Query | undefined;
  readonly parts: readonly Part[];
}

/** How an action is written as a command, and what it answers. */
export interface ActionText {
  readonly template: readonly Part[];
  readonly feedback: readonly Part[];
}

/** The texts of a game: those of its actions by their names in small letters, and the productions of each symbol. */
export interface Grammar {
  readonly actions: ReadonlyMap<string, ActionText>;
  readonly productions: ReadonlyMap<string, readonly Production[]>;
}

/** The symbol of the first text of a game. */
export const introSymbol = 'intro';

const pieces = /\s+|#[^\n]*|"""[\s\S]*?"""|"[^"\n]*"|::|[{};]|[^\s{};:"#]+/y;

interface Token {
  readonly text: string;
  readonly line: number;
}

/** Reads a grammar in TextWorld's format `.twl2`. Throws a `TextError` that names the line. */
export function readGrammar(text: string): Grammar {
  const tokens = new Tokens(text);
  const actions = new Map<string, ActionText>();
  const sources = new Map<string, readonly ProductionSource[]>();
  const add = (found: ReadonlyMap<string, readonly ProductionSource[]>) => {
    for (const [symbol, rules] of found) sources.set(symbol, rules);
  };
  for (let token = tokens.next(); token !== undefined; token = tokens.next()) {
    if (token.text === 'grammar') add(readBlock(tokens.block(), false));
    else if (token.text === 'action') {
      const name = tokens.expect();
      const { text, grammar } = readActionText(tokens, name);
      actions.set(name.text.toLowerCase(), text);
      if (grammar !== undefined) add(readBlock(grammar, true));
    } else
      throw new TextError(`"grammar" or "action" expected, not ${JSON.stringify(token.text.slice(0, 40))}`, token.line);
  }
  const productions = new Map(
    [...sources].map(([symbol, rules]) => [symbol, rules.map((rule) => readProduction(symbol, rule))]),
  );
  const grammar = { actions, productions };
  checkSymbols(grammar);
  return grammar;
}

function readActionText(tokens: Tokens, name: Token): { readonly text: ActionText; readonly grammar?: Token } {
  const strings = new Map<string, Token>();
  let grammar: Token | undefined;
  tokens.expect('{');
  for (let token = tokens.expect(); token.text !== '}'; token = tokens.expect()) {
    if (token.text === 'template' || token.text === 'feedback') strings.set(token.text, tokens.string());
    else if (token.text === 'grammar') grammar = tokens.block();
    else if (token.text === 'pddl') tokens.block();
    else
      throw new TextError(
        `an action has template, feedback and grammar, not ${JSON.stringify(token.text)}`,
        token.line,
      );
  }
  const partsOf = (key: string) => {
    const found = strings.get(key);
    if (found === undefined) throw new TextError(`the action ${name.text} has no ${key}`, name.line);
    return readParts(found.text);
  };
  return { text: { template: partsOf('template'), feedback: partsOf('feedback') }, ...(grammar && { grammar }) };
}

interface ProductionSource {
  readonly rhs: string;
  readonly condition: string;
}

/** The JSON of a block: a list of productions for each symbol. In an action's block, lines that begin with # are comments. */
function readBlock({ text, line }: Token, hasComments: boolean): ReadonlyMap<string, readonly ProductionSource[]> {
  const lines = text.split('\n');
  const json = hasComments ? lines.map((each) => (/^\s*#/.test(each) ? '' : each)).join('\n') : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new TextError(`this block is no JSON: ${(error as Error).message}`, line);
  }
  const fail = (place: string): never => {
    throw new TextError(`${place} of this block should be a list of objects with a text "rhs"`, line);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('the whole');
  const symbols = new Map<string, readonly ProductionSource[]>();
  for (const [symbol, rules] of Object.entries(value as Record<string, unknown>)) {
    if (!Array.isArray(rules) || rules.length === 0) return fail(JSON.stringify(symbol));
    const sources = rules.map((rule: unknown) => {
      const { rhs, condition = '' } = (rule ?? {}) as { readonly rhs?: unknown; readonly condition?: unknown };
      if (typeof rhs !== 'string' || typeof condition !== 'string') return fail(JSON.stringify(symbol));
      return { rhs, condition };
    });
    symbols.set(symbol, sources);
  }
  return symbols;
}

function readProduction(symbol: string, { rhs, condition }: ProductionSource): Production {
  try {
    return { condition: condition === '' ? undefined : parseQuery(condition), parts: readParts(rhs) };
  } catch (error) {
    throw new TextError(`the text ${JSON.stringify(symbol)}: ${(error as Error).message}`);
  }
}

/** Refuses symbols without productions and texts that contain themselves, in what a game can print. */
function checkSymbols({ actions, productions }: Grammar): void {
  const done = new Set<string>();
  const visit = (parts: readonly Part[], above: readonly string[]) => {
    if (above.length > deepest) throw new TextError(`more than ${deepest} texts inside one another`);
    for (const symbol of symbolsOf(parts)) {
      if (above.includes(symbol)) throw new TextError(`the text ${JSON.stringify(symbol)} contains itself`);
      if (done.has(symbol)) continue;
      const rules = productions.get(symbol);
      if (rules === undefined) throw new TextError(`there is no text for #${symbol}#`);
      for (const rule of rules) visit(rule.parts, [...above, symbol]);
      done.add(symbol);
    }
  };
  visit([{ kind: 'symbol', symbol: introSymbol }], []);
  for (const { template, feedback } of actions.values()) {
    visit(template, []);
    visit(feedback, []);
  }
  // They are needed as soon as a list has something to separate.
  for (const symbol of ['list_empty', 'list_separator', 'list_last_separator']) {
    const rules = productions.get(symbol);
    if (rules === undefined) throw new TextError(`there is no text for #${symbol}#, which lists need`);
    for (const rule of rules) visit(rule.parts, [symbol]);
  }
}

function symbolsOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'symbol') return [part.symbol];
    return part.kind === 'each' ? symbolsOf([part.item]) : [];
  });
}

/** Texts that contain others deeper than this are of no household. */
const deepest = 100;
/** ALFWorld's own grammars have a few hundred words. */
const mostTokens = 200_000;

class Tokens {
  readonly #tokens: Token[] = [];
  #next = 0;

  constructor(text: string) {
    let line = 1;
    pieces.lastIndex = 0;
    while (pieces.lastIndex < text.length) {
      const start = pieces.lastIndex;
      const match = pieces.exec(text);
      if (match === null) throw new TextError(`unexpected ${JSON.stringify(text.slice(start, start + 20))}`, line);
      const [token] = match;
      if (!/^[\s#]/.test(token)) this.#tokens.push({ text: token, line });
      if (this.#tokens.length > mostTokens) throw new TextError(`it has more than ${mostTokens} words`, line);
      for (const character of token) if (character === '\n') line += 1;
    }
  }

  next(): Token | undefined {
    const token = this.#tokens[this.#next];
    this.#next += 1;
    return token;
  }

  expect(wanted?: string): Token {
    const token = this.next();
    if (token === undefined) throw new TextError('the grammar ends too early', this.#tokens.at(-1)?.line);
    if (wanted !== undefined && token.text !== wanted)
      throw new TextError(
        `${JSON.stringify(wanted)} expected, not ${JSON.stringify(token.text.slice(0, 40))}`,
        token.line,
      );
    return token;
  }

  /** `:: "..." ;` */
  string(): Token {
    return this.#quoted('"');
  }

  /** `:: """...""" ;` */
  block(): Token {
    return this.#quoted('"""');
  }

  #quoted(quote: string): Token {
    this.expect('::');
    const { text, line } = this.expect();
    const isRight =
      text.length >= 2 * quote.length && text.startsWith(quote) && text.startsWith('"""') === (quote === '"""');
    if (!isRight) throw new TextError(`a text in ${quote} expected`, line);
    this.expect(';');
    return { text: text.slice(quote.length, -quote.length), line };
  }
}
