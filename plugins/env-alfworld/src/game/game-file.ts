import type { GameTexts } from './game.js';
import { GameError } from './game-error.js';

/** What a `game.tw-pddl` says. */
export interface GameFileContent extends GameTexts {
  /** `false`: the makers of the game found that it cannot be won. */
  readonly solvable: boolean | undefined;
}

/** Reads the JSON of a game. Throws a `GameError` that names the place. */
export function readGameFile(json: string): GameFileContent {
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new GameError('not an object of JSON');
  const text = (key: string): string => {
    const found = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    if (typeof found === 'string' && found.trim() !== '') return found;
    throw new GameError(
      `${key}: ${found === undefined ? 'missing' : 'not a text'}; a game has pddl_domain, grammar and pddl_problem`,
    );
  };
  const { solvable } = value as { readonly solvable?: unknown };
  return {
    domain: text('pddl_domain'),
    grammar: text('grammar'),
    problem: text('pddl_problem'),
    solvable: typeof solvable === 'boolean' ? solvable : undefined,
  };
}

/** Writes a game as ALFWorld's own files are. */
export function writeGameFile({ domain, grammar, problem }: GameTexts): string {
  return JSON.stringify({ pddl_domain: domain, grammar, pddl_problem: problem, solvable: true });
}

/** Parses JSON; an error names the line, which newer versions of Node do not. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const message = (error as Error).message;
    const offset = Number(
      /at position (\d+)/.exec(message)?.[1] ?? (message.includes('end of JSON') ? json.length : NaN),
    );
    const before = Number.isNaN(offset) ? undefined : json.slice(0, offset);
    const line =
      before === undefined ? '' : `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}: `;
    throw new GameError(`${line}no JSON: ${message}`, error);
  }
}
