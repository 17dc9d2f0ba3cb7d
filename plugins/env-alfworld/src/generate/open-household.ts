import { buildGame, scanOptions, type Game } from '../game/game.js';
import type { Compat } from '../game/compat.js';
import { readDomain, type Domain } from '../pddl/domain.js';
import { readProblem } from '../pddl/problem.js';
import { readGrammar, type Grammar } from '../text/grammar.js';
import { houseDomain } from './house-domain.js';
import { houseGrammar, taskSentence } from './house-grammar.js';
import type { Household } from './household.js';

/** What all households have in common, once read. */
interface Rules {
  readonly domain: Domain;
  readonly grammar: Grammar;
}

const kept = new Map<boolean, Rules>();

/** The game of a household, as `readGame` reads it from its texts; only what differs between households is read. */
export function openHousehold({ sentence, problem }: Household, compat: Compat): Game {
  const isCorrected = compat === 'corrected';
  let rules = kept.get(isCorrected);
  if (rules === undefined) {
    const domain = readDomain(houseDomain(isCorrected), scanOptions(compat));
    rules = { domain, grammar: readGrammar(houseGrammar('')) };
    kept.set(isCorrected, rules);
  }
  const { domain, grammar } = rules;
  const task = [{ condition: undefined, parts: [{ kind: 'words' as const, words: taskSentence(sentence) }] }];
  const productions = new Map(grammar.productions).set('task', task);
  return buildGame(domain, { ...grammar, productions }, readProblem(problem, scanOptions(compat)));
}
