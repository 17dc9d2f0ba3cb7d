// Quests by chaining actions backwards from how the world shall be in the end (`generator/chaining.py`).
import type { Fact, Logic } from '../logic/logic.js';
import type { ChainOptions, QuestChain } from './chain-options.js';
import type { NumpyRandom } from './numpy-random.js';
import { QuestSearch } from './quest-search.js';

const chosenRules = new WeakMap<Logic, Map<string, readonly string[]>>();

/**
 * Names of rules that begin with one of `starts`, less those that begin with one of `exceptions`. The same list at
 * every call, so that what a search works out about it can be kept.
 */
export function rulesStarting(
  logic: Logic,
  starts: readonly string[],
  exceptions: readonly string[] = [],
): readonly string[] {
  let known = chosenRules.get(logic);
  if (!known) chosenRules.set(logic, (known = new Map<string, readonly string[]>()));
  const key = `${starts.join()} ${exceptions.join()}`;
  let rules = known.get(key);
  if (!rules) {
    rules = [...logic.rules.keys()].filter(
      (name) => starts.some((start) => name.startsWith(start)) && !exceptions.some((start) => name.startsWith(start)),
    );
    known.set(key, rules);
  }
  return rules;
}

/**
 * Draws a quest that ends in a world, with the same random numbers as the original: actions are taken back one by one,
 * in a random order, as long as each makes a fact that the next one needs, no constraint is broken and no state comes
 * back.
 *
 * @param facts the world at the end of the quest; the player is in a room
 * @throws QuestGenerationError if there is no such quest, or if the search was given up
 */
export function chainQuest(
  facts: readonly Fact[],
  logic: Logic,
  options: ChainOptions,
  random: NumpyRandom,
): QuestChain {
  return new QuestSearch(facts, logic, options, random).run();
}
