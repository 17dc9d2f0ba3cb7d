import { Setting } from '../engine/setting.js';
import { readDomain, type Domain } from '../pddl/domain.js';
import { readProblem, type Problem } from '../pddl/problem.js';
import { readGrammar, type Grammar } from '../text/grammar.js';
import { printedNames } from '../text/printed-names.js';
import type { Compat } from './compat.js';
import { GameError } from './game-error.js';

/** A game that can be played, any number of times and side by side. */
export interface Game {
  readonly setting: Setting;
  readonly grammar: Grammar;
  /** The printed name of each thing. */
  readonly names: readonly string[];
}

/** The texts that a `game.tw-pddl` consists of. */
export interface GameTexts {
  readonly domain: string;
  readonly grammar: string;
  readonly problem: string;
}

/** Commas were not meant as parts of names; ALFWorld's planner reads them so. */
export const scanOptions = (compat: Compat) => ({ skipCommas: compat === 'corrected' });

/** Throws a `GameError` that names the text and the line. */
export function readGame({ domain, grammar, problem }: GameTexts, compat: Compat): Game {
  const options = scanOptions(compat);
  return buildGame(
    named('pddl_domain', () => keptDomain(domain, options.skipCommas)),
    named('grammar', () => readGrammar(grammar)),
    named('pddl_problem', () => readProblem(problem, options)),
  );
}

export function buildGame(domain: Domain, grammar: Grammar, problem: Problem): Game {
  const setting = named('pddl_problem', () => new Setting(domain, problem));
  for (const { name } of setting.schemas) {
    if (!grammar.actions.has(name)) throw new GameError(`grammar: there is no text for the action ${name}`);
  }
  named('grammar', () => checkTypes(grammar, setting));
  return { setting, grammar, names: printedNames(setting) };
}

/** The domain that was read last: all games of a data set have the same one. */
let lastDomain: { readonly text: string; readonly skipCommas: boolean; readonly domain: Domain } | undefined;

function keptDomain(text: string, skipCommas: boolean): Domain {
  if (lastDomain?.text !== text || lastDomain.skipCommas !== skipCommas) {
    lastDomain = { text, skipCommas, domain: readDomain(text, { skipCommas }) };
  }
  return lastDomain.domain;
}

/** A misspelled type would make a condition that never holds. */
function checkTypes({ productions }: Grammar, setting: Setting): void {
  for (const [symbol, rules] of productions) {
    for (const { condition = [] } of rules) {
      for (const { placeholders } of condition) {
        const unknown = placeholders.find(({ type }) => !setting.hasType(type));
        if (unknown)
          throw new Error(`the text ${JSON.stringify(symbol)} has ${unknown.key}, but there is no such type`);
      }
    }
  }
}

function named<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new GameError(`${what}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}
