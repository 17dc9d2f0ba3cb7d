// The bracket language of descriptions: what Inform prints for `[if c_0 is open]...[end if]` and the like. A description
// is compiled once and evaluated against a world.

/** A description or a name that no story could have. `position` counts characters from 0. */
export class StoryTextError extends Error {
  constructor(
    message: string,
    readonly entity: string,
    readonly position: number,
  ) {
    super(`description of ${entity}, character ${position + 1}: ${message}`);
    this.name = 'StoryTextError';
  }
}

const longestDescription = 200_000;
const deepestCondition = 16;
const longestBracket = 500;
const mostParts = 10_000;

export type StateWord = 'open' | 'closed' | 'locked' | 'unlocked';

/** A condition of a description. Objects are numbers; 0 stands for what is being described. */
type Condition =
  | { readonly kind: 'state'; readonly object: number; readonly state: StateWord; readonly holds: boolean }
  | { readonly kind: 'contents'; readonly object: number; readonly empty: boolean }
  | { readonly kind: 'inside'; readonly object: number; readonly holder: number; readonly holds: boolean }
  | { readonly kind: 'every'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'some'; readonly conditions: readonly Condition[] };

export type Article = 'a' | 'the' | 'The' | 'none';

/** A part of a description. */
type Part =
  | string
  | { readonly kind: 'name'; readonly object: number; readonly article: Article }
  | { readonly kind: 'list'; readonly holder: number; readonly article: Article; readonly verb: boolean }
  | { readonly kind: 'choice'; readonly branches: readonly Branch[]; readonly otherwise: readonly Part[] };

interface Branch {
  readonly condition: Condition;
  readonly parts: readonly Part[];
}

export type Description = readonly Part[];

/** What a description can tell of the world. */
export interface Scene {
  stateOf(object: number, state: StateWord): boolean;
  isEmpty(object: number): boolean;
  isIn(object: number, holder: number): boolean;
  name(object: number, article: Article): string;
  /** Everything in or on a holder, `nothing` if it is empty; with `verb`: `is` or `are` before. */
  list(holder: number, article: Article, verb: boolean): string;
}

/** The text of a description of `self` in a world. */
export function describe(description: Description, scene: Scene, self: number): string {
  let text = '';
  for (const part of description) {
    if (typeof part === 'string') text += part;
    else if (part.kind === 'name') text += scene.name(part.object || self, part.article);
    else if (part.kind === 'list') text += scene.list(part.holder || self, part.article, part.verb);
    else {
      const branch = part.branches.find(({ condition }) => holds(condition, scene, self));
      text += describe(branch?.parts ?? part.otherwise, scene, self);
    }
  }
  return text;
}

function holds(condition: Condition, scene: Scene, self: number): boolean {
  switch (condition.kind) {
    case 'state':
      return scene.stateOf(condition.object || self, condition.state) === condition.holds;
    case 'contents':
      return scene.isEmpty(condition.object || self) === condition.empty;
    case 'inside':
      return scene.isIn(condition.object || self, condition.holder) === condition.holds;
    case 'every':
      return condition.conditions.every((each) => holds(each, scene, self));
    case 'some':
      return condition.conditions.some((each) => holds(each, scene, self));
  }
}

/** A condition that was opened and not yet ended. */
interface Unfinished {
  readonly branches: Branch[];
  /** The condition of the branch that is being read; undefined after `otherwise`. */
  condition: Condition | undefined;
  /** Parts around the condition. */
  readonly outside: Part[];
  readonly position: number;
}

/**
 * Compiles a description. Throws `StoryTextError` for brackets that Inform would not take: unbalanced ones, unknown
 * words, objects that do not exist, conditions that are nested too deep.
 *
 * @param find The number of an entity by its id or, for the player, `player`; undefined if there is none.
 * @param literal The text to print for the characters from `start` to `end`, which have no brackets.
 */
export function compileDescription(
  text: string,
  entity: string,
  find: (id: string) => number | undefined,
  literal: (start: number, end: number) => string = (start, end) => text.slice(start, end),
): Description {
  if (text.length > longestDescription) {
    throw new StoryTextError(`longer than ${longestDescription} characters`, entity, longestDescription);
  }
  const open: Unfinished[] = [];
  let parts: Part[] = [];
  let count = 0;
  let position = 0;
  while (position < text.length) {
    const bracket = text.indexOf('[', position);
    const end = bracket === -1 ? text.length : bracket;
    const stray = text.indexOf(']', position);
    if (stray !== -1 && stray < end) fail('a bracket is closed that was not opened', stray);
    if (end > position) parts.push(literal(position, end));
    if (bracket === -1) break;
    const close = text.indexOf(']', bracket);
    const again = text.indexOf('[', bracket + 1);
    if (close === -1 || (again !== -1 && again < close)) fail('a bracket is not closed', bracket);
    if (close - bracket > longestBracket) fail(`a bracket has more than ${longestBracket} characters`, bracket);
    if (++count > mostParts) fail('too many brackets', bracket);
    read(
      text
        .slice(bracket + 1, close)
        .trim()
        .replace(/\s+/g, ' '),
      bracket,
    );
    position = close + 1;
  }
  if (open.length > 0) fail('a condition has no [end if]', open.at(-1)?.position ?? 0);
  return parts;

  function read(code: string, at: number): void {
    const lower = code.toLowerCase();
    const condition = /^(?:if|unless) (.*)$/.exec(lower);
    if (condition !== null) {
      if (open.length >= deepestCondition) fail('conditions are nested too deep', at);
      const read = readCondition(code.slice(code.indexOf(' ') + 1), at);
      open.push({
        branches: [],
        condition: lower.startsWith('if') ? read : opposite(read),
        outside: parts,
        position: at,
      });
      parts = [];
      return;
    }
    const next = /^(?:else|otherwise)(?: if (.*))?$/.exec(lower);
    if (next !== null) {
      const current = open.at(-1);
      if (current?.condition === undefined) return fail(`[${code}] has no [if] before it`, at);
      current.branches.push({ condition: current.condition, parts });
      current.condition = next[1] === undefined ? undefined : readCondition(code.slice(-next[1].length), at);
      parts = [];
      return;
    }
    if (lower === 'end if' || lower === 'end unless') {
      const current = open.pop();
      if (current === undefined) return fail(`[${code}] has no [if] before it`, at);
      const inside = parts;
      parts = current.outside;
      if (current.condition !== undefined) {
        current.branches.push({ condition: current.condition, parts: inside });
        parts.push({ kind: 'choice', branches: current.branches, otherwise: [] });
      } else {
        parts.push({ kind: 'choice', branches: current.branches, otherwise: inside });
      }
      return;
    }
    parts.push(readSubstitution(code, lower, at));
  }

  function readSubstitution(code: string, lower: string, at: number): Part {
    if (lower === 'line break') return '\n';
    if (lower === 'paragraph break') return '\n\n';
    if (lower === 'bracket') return '[';
    if (lower === 'close bracket') return ']';
    if (lower === "'") return "'";
    const list = /^(is-are |is\/are )?(an? |the )?list of things (?:in|on|carried by) (?:the )?(\S+)$/.exec(lower);
    if (list !== null) {
      const article = list[2] === undefined ? 'none' : list[2].startsWith('a') ? 'a' : 'the';
      return { kind: 'list', holder: object(code, list[3] as string, at), article, verb: list[1] !== undefined };
    }
    const name = /^(an? |the )?(\S+)$/.exec(lower);
    if (name === null) return fail(`[${code.slice(0, 60)}] is not known`, at);
    const article = name[1] === undefined ? 'none' : !name[1].startsWith('t') ? 'a' : code[0] === 'T' ? 'The' : 'the';
    return { kind: 'name', object: object(code, name[2] as string, at), article };
  }

  function readCondition(code: string, at: number): Condition {
    const alternatives = code.split(/ or (?!on |in )/i);
    if (alternatives.length > 1)
      return { kind: 'some', conditions: alternatives.map((each) => readCondition(each, at)) };
    const conditions = code.split(/ and /i);
    if (conditions.length > 1) return { kind: 'every', conditions: conditions.map((each) => readCondition(each, at)) };
    const lower = code.trim().toLowerCase();
    const contents = /^there is (something|nothing) (?:in|on) (?:the )?(\S+)$/.exec(lower);
    if (contents !== null) return emptiness(contents[2] as string, contents[1] === 'nothing');
    const some = /^(something|nothing) is (?:in|on) (?:the )?(\S+)$/.exec(lower);
    if (some !== null) return emptiness(some[2] as string, some[1] === 'nothing');
    const holds = /^(?:the )?(\S+) (?:contains|supports) (something|nothing)$/.exec(lower);
    if (holds !== null) return emptiness(holds[1] as string, holds[2] === 'nothing');
    const state = /^(?:(?:the )?(\S+) is )?(not )?(open|closed|locked|unlocked|empty)$/.exec(lower);
    if (state !== null) {
      const described = state[1] === undefined ? 0 : object(code, state[1], at);
      if (state[3] === 'empty') return { kind: 'contents', object: described, empty: state[2] === undefined };
      return { kind: 'state', object: described, state: state[3] as StateWord, holds: state[2] === undefined };
    }
    const inside = /^(?:the )?(\S+) is (not )?(?:in|on|carried by) (?:the )?(\S+)$/.exec(lower);
    if (inside !== null) {
      return {
        kind: 'inside',
        object: object(code, inside[1] as string, at),
        holder: object(code, inside[3] as string, at),
        holds: inside[2] === undefined,
      };
    }
    const carried = /^(?:the )?player (?:carries|is carrying|has) (?:the )?(\S+)$/.exec(lower);
    if (carried !== null) {
      const holder = object(code, 'player', at);
      return { kind: 'inside', object: object(code, carried[1] as string, at), holder, holds: true };
    }
    return fail(`the condition "${code.slice(0, 60)}" is not known`, at);

    function emptiness(id: string, empty: boolean): Condition {
      return { kind: 'contents', object: object(code, id, at), empty };
    }
  }

  /** The object with an id that was found in lower case; ids differ in upper and lower case. */
  function object(code: string, lower: string, at: number): number {
    if (lower === 'noun' || lower === 'item described') return 0;
    const place = code.toLowerCase().lastIndexOf(lower);
    const found = find(code.slice(place, place + lower.length)) ?? find(lower);
    return found ?? fail(`there is no ${lower.slice(0, 60)}`, at);
  }

  function fail(message: string, at: number): never {
    throw new StoryTextError(message, entity, at);
  }
}

function opposite(condition: Condition): Condition {
  switch (condition.kind) {
    case 'state':
    case 'inside':
      return { ...condition, holds: !condition.holds };
    case 'contents':
      return { ...condition, empty: !condition.empty };
    case 'every':
      return { kind: 'some', conditions: condition.conditions.map(opposite) };
    case 'some':
      return { kind: 'every', conditions: condition.conditions.map(opposite) };
  }
}
